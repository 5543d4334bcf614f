package gateway

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// bufferSize of a connection in each direction: a delta of a busy tick fits.
const bufferSize = 256

// maxBacklog is what a connection keeps that the kernel would not take: at most a
// frame that was begun and answers to pings. More means that nobody reads.
const maxBacklog = 1 << 20

var (
	errBacklog = errors.New("gateway: viewer does not read")
	errFlood   = errors.New("gateway: viewer sends too much")
)

// netConn is a connection whose Write never waits. What the kernel does not take
// is kept and written by a goroutine of its own until the deadline; the
// connection is stalled meanwhile.
type netConn struct {
	net.Conn
	early   []byte          // bytes that came with the handshake
	raw     syscall.RawConn // nil: the connection offers none (TLS): every write is kept first
	timeout time.Duration
	flushed func()         // called when the connection is no longer stalled
	intake  func(int) bool // asked whether so many bytes more may come; nil: always

	mu      sync.Mutex
	backlog []byte
	err     error
	stalls  int64
}

func newNetConn(c net.Conn, early []byte, timeout time.Duration) *netConn {
	n := &netConn{Conn: c, early: early, timeout: timeout}
	if s, ok := c.(syscall.Conn); ok {
		n.raw, _ = s.SyscallConn()
	}
	return n
}

func (n *netConn) Read(p []byte) (int, error) {
	if len(n.early) > 0 {
		took := copy(p, n.early)
		n.early = n.early[took:]
		if len(n.early) == 0 {
			n.early = nil
		}
		return took, nil
	}
	took, err := n.Conn.Read(p)
	if took > 0 && n.intake != nil && !n.intake(took) {
		n.discard()
		return 0, errFlood
	}
	return took, err
}

// discard reads on for a moment without looking, so that what was said at last arrives: a connection that is closed
// with bytes unread is reset.
func (n *netConn) discard() {
	_ = n.SetReadDeadline(time.Now().Add(time.Second))
	_, _ = io.Copy(io.Discard, n.Conn)
}

// Write takes all of p or fails for good.
func (n *netConn) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		return 0, n.err
	}
	if len(n.backlog) > 0 {
		return n.keep(p, p)
	}
	took, err := 0, error(nil)
	if n.raw != nil {
		took, err = tryWrite(n.raw, p)
	}
	if err != nil {
		n.err = err
		return 0, err
	}
	if took == len(p) {
		return took, nil
	}
	n.stalls++
	if _, err := n.keep(p[took:], p); err != nil {
		return 0, err
	}
	go n.flush()
	return len(p), nil
}

func (n *netConn) keep(rest, all []byte) (int, error) {
	if len(n.backlog)+len(rest) > maxBacklog {
		n.err = errBacklog
		return 0, n.err
	}
	n.backlog = append(n.backlog, rest...)
	return len(all), nil
}

// flush writes the backlog, waiting for the viewer until the deadline.
func (n *netConn) flush() {
	_ = n.SetWriteDeadline(time.Now().Add(n.timeout))
	for {
		n.mu.Lock()
		p := n.backlog
		n.mu.Unlock()
		took, err := n.Conn.Write(p)
		n.mu.Lock()
		if err != nil {
			n.err, n.backlog = err, nil
			n.mu.Unlock()
			n.Close()
			return
		}
		n.backlog = n.backlog[took:]
		if len(n.backlog) == 0 {
			n.backlog = nil
			_ = n.SetWriteDeadline(time.Time{})
			n.mu.Unlock()
			n.flushed()
			return
		}
		n.mu.Unlock()
	}
}

// stalled reports whether the viewer is behind what was written.
func (n *netConn) stalled() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.backlog) > 0
}

// smallBuffers gives a hijacked connection away with our own connection and
// buffers instead of net/http's eight kilobytes.
type smallBuffers struct {
	http.ResponseWriter
	timeout time.Duration
	conn    *netConn
}

func (s *smallBuffers) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(s.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	early, err := rw.Peek(rw.Reader.Buffered())
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	if err := rw.Flush(); err != nil {
		c.Close()
		return nil, nil, err
	}
	s.conn = newNetConn(c, append([]byte(nil), early...), s.timeout)
	return s.conn, bufio.NewReadWriter(bufio.NewReaderSize(s.conn, bufferSize), bufio.NewWriterSize(s.conn, bufferSize)), nil
}
