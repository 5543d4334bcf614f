package api

import (
	"io"
	"net"
	"sync"
	"time"
)

// quietListener gives a connection as long to begin its first request as later
// ones have, and closes one that never does without a word. The server would
// answer it with a 400 of its own after ReadTimeout: a proxy that keeps
// connections it has not used yet would take that for the answer to the request
// it sends at that moment. Closing the listener closes those that still wait.
type quietListener struct {
	net.Listener
	idle time.Duration // to the first byte
	read time.Duration // from there to the end of the request

	mu     sync.Mutex
	silent map[*quietConn]struct{}
	closed bool
}

func newQuietListener(ln net.Listener, opts Options) *quietListener {
	return &quietListener{Listener: ln, idle: opts.IdleTimeout, read: opts.ReadTimeout, silent: make(map[*quietConn]struct{})}
}

func (l *quietListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	q := &quietConn{Conn: c, from: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		c.Close()
		return nil, net.ErrClosed
	}
	l.silent[q] = struct{}{}
	return q, nil
}

func (l *quietListener) Close() error {
	err := l.Listener.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for q := range l.silent {
		q.Conn.Close()
	}
	clear(l.silent)
	return err
}

func (l *quietListener) forget(q *quietConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.silent, q)
}

// quietConn ends like one that the client has closed when nothing comes.
type quietConn struct {
	net.Conn
	from  *quietListener
	heard bool // the reader's own
}

func (q *quietConn) Read(p []byte) (int, error) {
	if q.heard {
		return q.Conn.Read(p)
	}
	q.heard = true
	if err := q.SetReadDeadline(time.Now().Add(q.from.idle)); err != nil {
		return 0, io.EOF
	}
	n, _ := q.Conn.Read(p)
	q.from.forget(q)
	if n == 0 || q.SetReadDeadline(time.Now().Add(q.from.read)) != nil {
		return 0, io.EOF
	}
	return n, nil
}

func (q *quietConn) Close() error {
	q.from.forget(q)
	return q.Conn.Close()
}
