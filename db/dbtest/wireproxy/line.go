package wireproxy

import (
	"bufio"
	"io"
	"net"
	"sync"
	"time"
)

// line is one connection of the program.
//
// What the program sends is cut into cycles: a simple query is one, and so is everything up
// to a Sync. The database ends each with ReadyForQuery, which is how answers are told apart.
type line struct {
	p       *Proxy
	client  net.Conn
	number  int
	cancels bool // carries a cancel request, nothing else

	statements map[string]string // SQL by prepared name
	portals    map[string]string // SQL by portal

	mu     sync.Mutex
	server net.Conn
	closed bool
	muted  bool           // the program hears nothing any more
	sent   int            // cycles begun by the program; the start-up is one
	got    int            // cycles ended by the database
	fates  map[int]answer // what happens to a cycle's answer
	over   chan struct{}  // the database's side has ended
}

// answer is what becomes of a cycle's answer.
type answer struct {
	refuse   string // the first error (or, of a ROLLBACK in COMMIT's place, the completion) becomes this SQLSTATE
	rollback bool   // the cycle is a ROLLBACK of ours in the place of COMMIT
	swallow  bool   // nothing of it but its end is told
	hideEnd  bool   // its end is not told
	follow   bool   // our own ROLLBACK follows
	cut      bool   // the line is cut when it has ended
	torn     bool   // … after a few bytes of it
	copying  bool   // COPY: the refusal comes at its end
}

func newLine(p *Proxy, client net.Conn, number int) *line {
	return &line{
		p: p, client: client, number: number, sent: 1, over: make(chan struct{}),
		statements: map[string]string{}, portals: map[string]string{}, fates: map[int]answer{},
	}
}

func (l *line) connected(server net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.server = server
	return !l.closed
}

func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.client.Close()
	if l.server != nil {
		l.server.Close()
	}
}

// startup answers requests for encryption (no) and returns the first real message.
func (l *line) startup(r *bufio.Reader) (message, error) {
	for {
		m, code, err := readStartup(r)
		if err != nil {
			return nil, err
		}
		switch code {
		case codeTLS, codeGSS:
			if _, err := l.client.Write([]byte{'N'}); err != nil {
				return nil, err
			}
			continue
		case codeCancel:
			l.cancels = true
		}
		return m, nil
	}
}

// down carries what the database says.
func (l *line) down(server net.Conn) {
	defer close(l.over)
	r, w := bufio.NewReaderSize(server, 32<<10), bufio.NewWriterSize(l.client, 32<<10)
	var buf []byte
	for {
		m, err := read(r, &buf)
		if err != nil {
			_ = w.Flush()
			if !l.silent() {
				l.client.Close()
			}
			return
		}
		out, cut := l.hear(m)
		if len(out) > 0 {
			_, _ = w.Write(out) // the program may have left; its answers are still counted
		}
		if cut || r.Buffered() == 0 {
			_ = w.Flush()
		}
		if cut {
			l.close()
			return
		}
	}
}

func (l *line) silent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.muted && !l.closed
}

// hear decides what the program is told of a message, and whether the line is cut with it.
func (l *line) hear(m message) (out message, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fate := l.fates[l.got+1]
	ends := m.kind() == 'Z'
	if ends {
		delete(l.fates, l.got+1)
		l.got++
	}
	switch {
	case l.muted:
		out = nil
	case ends && fate.hideEnd, !ends && fate.swallow:
		out = nil
	case fate.refuse != "" && (m.kind() == 'E' || fate.rollback && m.kind() == 'C'):
		out = refusal(fate.refuse)
	default:
		out = m
	}
	if ends && fate.cut && fate.torn {
		return message("C\x00\x00\x00\x0bCO"), true
	}
	return out, ends && fate.cut
}

// up carries what the program says, statement by statement, past the plan.
func (l *line) up(r *bufio.Reader, server net.Conn) {
	w := bufio.NewWriterSize(server, 32<<10)
	var buf []byte
	for {
		m, err := read(r, &buf)
		if err != nil {
			_ = w.Flush()
			l.ended()
			return
		}
		if goes := l.say(m, w); !goes {
			return
		}
		if r.Buffered() == 0 && w.Flush() != nil {
			return
		}
	}
}

// linger is how long a silent line's other end stays up when the program has given it up:
// the database hears of it only by its own time-outs.
const linger = 15 * time.Second

// ended is when the program has closed its end.
func (l *line) ended() {
	if !l.silent() {
		return
	}
	select {
	case <-l.over:
	case <-l.p.done:
	case <-time.After(linger):
	}
}

// say forwards one message, or does to it what the plan says; false when the line is done.
func (l *line) say(m message, w *bufio.Writer) bool {
	switch m.kind() {
	case 'P':
		name, rest := text(m.body())
		l.statements[name], _ = text(rest)
	case 'B':
		portal, rest := text(m.body())
		name, _ := text(rest)
		l.portals[portal] = l.statements[name]
	case 'E':
		portal, _ := text(m.body())
		return l.statement(m, l.portals[portal], w)
	case 'Q':
		sql, _ := text(m.body())
		return l.statement(m, sql, w)
	case 'S':
		return l.endCycle(m, w)
	case 'c':
		if l.copyFails() {
			m = build('f', []byte("injected fault\x00"))
		}
	}
	_, err := w.Write(m)
	return err == nil
}

// endCycle forwards a Sync. Where COMMIT was refused inside a pipeline, a ROLLBACK of ours follows, so that
// the program finds the transaction ended, as after a COMMIT that the database refused.
func (l *line) endCycle(m message, w *bufio.Writer) bool {
	l.mu.Lock()
	l.sent++
	follow := l.fates[l.sent].follow
	if follow {
		l.sent++
		l.fates[l.sent] = answer{swallow: true}
	}
	l.mu.Unlock()
	if _, err := w.Write(m); err != nil {
		return false
	}
	if follow {
		_, err := w.Write(query("rollback"))
		return err == nil
	}
	return true
}

func (l *line) copyFails() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fates[l.sent].copying
}

// fated notes what becomes of the answer of the cycle that is about to be sent.
func (l *line) fated(a answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fates[l.sent+1] = a
}

func (l *line) mute() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.muted = true
}

func discard(r io.Reader) { _, _ = io.Copy(io.Discard, r) }
