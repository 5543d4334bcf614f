package gateway

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Sizes of a connection's buffers: a hello without its token is read at once; written are only control frames, which
// have at most 125 bytes and a header of 4. Frames go past the buffer, see socketLine.
const (
	readBuffer  = 256
	writeBuffer = 144
)

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
	// What every frame touches, in one line of the cache.
	mu      sync.Mutex
	fd      int // valid until Close, which takes the lock; -1: there is none (TLS), or no more: every write is kept first
	backlog []byte
	err     error
	behind  atomic.Bool // there is a backlog
	ended   bool        // no message may follow

	net.Conn
	early   []byte // bytes that came with the handshake
	timeout time.Duration
	flushed func()         // called when the connection is no longer stalled
	intake  func(int) bool // asked whether so many bytes more may come; nil: always
}

func newNetConn(c net.Conn, early []byte, timeout time.Duration) *netConn {
	n := &netConn{Conn: c, early: early, timeout: timeout, fd: -1}
	if s, ok := c.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { n.fd = int(fd) }) // fails when it is closed already: -1 is right
		}
	}
	return n
}

// Close closes the connection for everybody. It may be called again.
func (n *netConn) Close() error {
	n.mu.Lock()
	n.fd = -1 // the number may be another connection's in a moment
	if n.err == nil {
		n.err = net.ErrClosed
	}
	n.mu.Unlock()
	return n.Conn.Close()
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
	if err := n.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// write is Write with the lock held.
func (n *netConn) write(p []byte) error {
	if n.err != nil {
		return n.err
	}
	if len(n.backlog) > 0 {
		return n.keep(p)
	}
	took := 0
	if n.fd >= 0 {
		if took, n.err = tryWrite(n.fd, p); n.err != nil {
			return n.err
		}
	}
	if took == len(p) {
		return nil
	}
	if err := n.keep(p[took:]); err != nil {
		return err
	}
	n.behind.Store(true)
	go n.flush()
	return nil
}

func (n *netConn) keep(rest []byte) error {
	if len(n.backlog)+len(rest) > maxBacklog {
		n.err = errBacklog
		return n.err
	}
	n.backlog = append(n.backlog, rest...)
	return nil
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
			n.behind.Store(false)
			_ = n.SetWriteDeadline(time.Time{})
			n.mu.Unlock()
			n.flushed()
			return
		}
		n.mu.Unlock()
	}
}

// stalled reports whether the viewer is behind what was written.
func (n *netConn) stalled() bool { return n.behind.Load() }

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
	return s.conn, bufio.NewReadWriter(bufio.NewReaderSize(s.conn, readBuffer), bufio.NewWriterSize(s.conn, writeBuffer)), nil
}
