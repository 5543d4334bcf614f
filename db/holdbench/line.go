package holdbench

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// line is one client's connection to the API, used for one request at a time. The
// load generator shares the machine with what it measures, so it must be lean.
type line struct {
	addr   string
	conn   net.Conn
	r      *bufio.Reader
	w      *bufio.Writer
	ask    fasthttp.Request
	answer fasthttp.Response
}

// answerPatience is longer than any answer of the API takes.
const answerPatience = 30 * time.Second

func dial(ctx context.Context, addr string) (*line, error) {
	l := &line{addr: addr}
	l.ask.Header.SetMethod(fasthttp.MethodPost)
	l.ask.Header.SetHost(addr)
	l.ask.Header.SetContentType("application/json")
	return l, l.redial(ctx)
}

func (l *line) redial(ctx context.Context) error {
	l.close()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", l.addr)
	if err != nil {
		return fmt.Errorf("holdbench: %w", err)
	}
	l.conn, l.r, l.w = conn, bufio.NewReaderSize(conn, 4096), bufio.NewWriterSize(conn, 4096)
	return nil
}

// post sends one request and reads its answer, whose body is valid until the next.
func (l *line) post(path string, token []byte, key string, body []byte) (status int, answer []byte, err error) {
	l.ask.SetRequestURI(path)
	l.ask.Header.SetBytesV(fasthttp.HeaderAuthorization, token)
	l.ask.Header.Set("Idempotency-Key", key)
	l.ask.Header.Set("Idempotency-Attempt", "1")
	l.ask.SetBodyRaw(body)
	if err := l.conn.SetDeadline(time.Now().Add(answerPatience)); err != nil {
		return 0, nil, err
	}
	if err := l.ask.Write(l.w); err != nil {
		return 0, nil, err
	}
	if err := l.w.Flush(); err != nil {
		return 0, nil, err
	}
	if err := l.answer.Read(l.r); err != nil {
		return 0, nil, err
	}
	return l.answer.StatusCode(), l.answer.Body(), nil
}

func (l *line) close() {
	if l.conn != nil {
		l.conn.Close()
	}
}
