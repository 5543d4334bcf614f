package holdbench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// line is one client's connection to the API, used for one request at a time. The load generator shares the
// machine with what it measures, so it is as lean as HTTP/1.1 allows: one write for a request, and an answer read
// whole, with its length as the API states it. What it does not understand is an error, never skipped.
type line struct {
	addr   string
	conn   net.Conn
	r      *bufio.Reader
	until  time.Time // the deadline that is set
	ask    []byte
	body   []byte
	closes bool // the server said that this answer is the last
}

// answerPatience is longer than any answer of the API takes.
const answerPatience = 30 * time.Second

// mostBody is longer than any answer to a hold.
const mostBody = 1 << 20

func dial(ctx context.Context, addr string) (*line, error) {
	l := &line{addr: addr}
	return l, l.redial(ctx)
}

func (l *line) redial(ctx context.Context) error {
	l.close()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", l.addr)
	if err != nil {
		return fmt.Errorf("holdbench: %w", err)
	}
	l.conn, l.r, l.until, l.closes = conn, bufio.NewReaderSize(conn, 4096), time.Time{}, false
	return nil
}

// post sends one request and reads its answer, whose body is valid until the next.
func (l *line) post(path string, token []byte, key string, body []byte) (status int, answer []byte, err error) {
	if err := l.patience(time.Now()); err != nil {
		return 0, nil, err
	}
	b := append(append(l.ask[:0], "POST "...), path...)
	b = append(append(b, " HTTP/1.1\r\nHost: "...), l.addr...)
	b = append(append(b, "\r\nContent-Type: application/json\r\nAuthorization: "...), token...)
	b = append(append(b, "\r\nIdempotency-Key: "...), key...)
	b = strconv.AppendInt(append(b, "\r\nIdempotency-Attempt: 1\r\nContent-Length: "...), int64(len(body)), 10)
	l.ask = append(append(b, "\r\n\r\n"...), body...)
	if _, err := l.conn.Write(l.ask); err != nil {
		return 0, nil, err
	}
	return l.read()
}

// patience moves the deadline when half of it has passed: a system call's worth less than for every request.
func (l *line) patience(now time.Time) error {
	if l.until.Sub(now) > answerPatience/2 {
		return nil
	}
	l.until = now.Add(answerPatience)
	return l.conn.SetDeadline(l.until)
}

var errNotHTTP = errors.New("holdbench: not the HTTP answer that was expected")

// read takes one answer: status line, headers, and as much body as they say.
func (l *line) read() (status int, body []byte, err error) {
	first, err := l.r.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	const version = "HTTP/1.1 "
	if !bytes.HasPrefix(first, []byte(version)) || len(first) < len(version)+3 {
		return 0, nil, fmt.Errorf("%w: %.80q", errNotHTTP, first)
	}
	if status, err = strconv.Atoi(string(first[len(version) : len(version)+3])); err != nil {
		return 0, nil, fmt.Errorf("%w: %.80q", errNotHTTP, first)
	}
	length, err := l.headers()
	if err != nil {
		return 0, nil, err
	}
	if cap(l.body) < length {
		l.body = make([]byte, length)
	}
	l.body = l.body[:length]
	_, err = io.ReadFull(l.r, l.body)
	return status, l.body, err
}

// headers reads to the empty line and returns the body's length, which must be there.
func (l *line) headers() (length int, err error) {
	length = -1
	for {
		header, err := l.r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		header = bytes.TrimRight(header, "\r\n")
		if len(header) == 0 {
			break
		}
		name, value, ok := bytes.Cut(header, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case !ok:
			return 0, fmt.Errorf("%w: %.80q", errNotHTTP, header)
		case is(name, "content-length"):
			if length, err = strconv.Atoi(string(value)); err != nil || length < 0 || length > mostBody {
				return 0, fmt.Errorf("%w: %.80q", errNotHTTP, header)
			}
		case is(name, "connection"):
			l.closes = is(value, "close")
		case is(name, "transfer-encoding"):
			return 0, fmt.Errorf("%w: %.80q", errNotHTTP, header)
		}
	}
	if length < 0 {
		return 0, fmt.Errorf("%w: no length", errNotHTTP)
	}
	return length, nil
}

// is compares a header's name or word, whose letters have no case; most differ in length already.
func is(word []byte, lower string) bool {
	return len(word) == len(lower) && bytes.EqualFold(word, []byte(lower))
}

func (l *line) close() {
	if l.conn != nil {
		l.conn.Close()
	}
}
