package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"

	"plateia/realtime/wire"
)

// maxLine is the longest line of a stream that a gateway has reason to send: a frame in base64.
const maxLine = maxFrame/3*4 + 64

// Refused is a stream that did not begin.
type Refused struct {
	Status  int
	Problem []byte // the answer's first kilobyte
}

func (r *Refused) Error() string {
	return fmt.Sprintf("client: the gateway answered %d: %s", r.Status, r.Problem)
}

// eventReader reads frames from server-sent events.
type eventReader struct {
	lines  *bufio.Scanner
	cancel context.CancelFunc // ends the request
	body   io.Closer
}

// dialEvents asks for a stream. A *Refused says that the gateway did not give one.
func dialEvents(ctx context.Context, url string, o Options) (*eventReader, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel) // until there is an answer
	defer stop()
	res, err := ask(life, url, o)
	if err != nil {
		cancel()
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		defer cancel()
		defer res.Body.Close()
		problem, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10)) // the status says enough
		return nil, &Refused{Status: res.StatusCode, Problem: problem}
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	return &eventReader{lines: lines, cancel: cancel, body: res.Body}, nil
}

func ask(ctx context.Context, url string, o Options) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"?view="+o.View.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	for name, values := range o.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "text/event-stream")
	if o.Token != "" {
		req.Header.Set("Authorization", "Bearer "+o.Token)
	}
	if o.Resume != nil {
		req.Header.Set("Last-Event-ID", o.Resume.String())
	}
	client := o.HTTPClient
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return res, nil
}

// next returns the next event's frame, or io.EOF at the end. When ctx ends so does the stream.
func (e *eventReader) next(ctx context.Context) ([]byte, error) {
	stop := context.AfterFunc(ctx, e.close)
	defer stop()
	var frame []byte
	for e.lines.Scan() {
		line := e.lines.Bytes()
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			var err error
			if frame, err = base64.StdEncoding.AppendDecode(frame, data); err != nil {
				return nil, fmt.Errorf("client: %w: %w", wire.ErrMalformed, err)
			}
		}
		if len(line) == 0 && frame != nil {
			return frame, nil
		}
	}
	if err := e.lines.Err(); err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return nil, io.EOF
}

func (e *eventReader) close() {
	e.cancel()
	_ = e.body.Close()
}
