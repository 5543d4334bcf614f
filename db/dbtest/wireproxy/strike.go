package wireproxy

import (
	"bufio"
	"time"
)

// statement forwards a statement (a simple query, or the execution of a prepared one), or strikes it.
func (l *line) statement(m message, sql string, w *bufio.Writer) bool {
	s := Statement{Kind: classify(sql), SQL: sql, Line: l.number}
	f := l.p.fate(s)
	switch {
	case f == nil:
		return l.pass(m, w)
	case f.Deed == Delay:
		_ = w.Flush() // what came before is not late
		l.p.pause(f.Wait)
		return l.pass(m, w)
	case f.Deed == Fail:
		return l.refuse(m, s.Kind, f.Code, w)
	case f.Point == Before:
		_ = w.Flush()
		return l.before(f)
	case f.Point == During:
		_ = w.Flush()
		return l.during(m, f, w)
	}
	return l.after(m, f, w)
}

func (l *line) pass(m message, w *bufio.Writer) bool {
	if m.kind() == 'Q' {
		l.mu.Lock()
		l.sent++
		l.mu.Unlock()
	}
	_, err := w.Write(m)
	return err == nil
}

// refuse lets the database refuse the statement, and the program believe in the code.
func (l *line) refuse(m message, kind Kind, code string, w *bufio.Writer) bool {
	switch {
	case m.kind() == 'Q' && kind == Commit:
		l.fated(answer{refuse: code, rollback: true})
		return l.pass(query("rollback"), w)
	case m.kind() == 'Q' && kind == Copy:
		l.fated(answer{refuse: code, copying: true})
		return l.pass(m, w)
	case m.kind() == 'Q':
		l.fated(answer{refuse: code})
		return l.pass(query("injected fault"), w)
	}
	l.fated(answer{refuse: code, hideEnd: kind == Commit, follow: kind == Commit})
	_, err := w.Write(broken())
	return err == nil
}

// before: the database never sees the statement.
func (l *line) before(f *Fault) bool {
	if f.Deed == Cut {
		l.close()
		return false
	}
	l.mute()
	discard(l.client) // until the program gives up
	l.ended()
	return false
}

// during: the program loses the line at once, the database gets the statement a little later.
func (l *line) during(m message, f *Fault, w *bufio.Writer) bool {
	l.mute()
	if f.Deed == Silence {
		l.p.pause(f.Wait)
		return l.unheard(m, w)
	}
	l.client.Close()
	l.p.pause(f.Wait)
	if l.last(m, w) {
		l.answered()
	}
	return false
}

// after: the database does it and its answer is lost.
func (l *line) after(m message, f *Fault, w *bufio.Writer) bool {
	if f.Deed == Silence {
		l.mute()
		return l.unheard(m, w)
	}
	l.fated(answer{swallow: true, hideEnd: true, cut: true, torn: f.Torn})
	return l.pass(m, w)
}

// unheard forwards the statement and nothing after it: what the program says when its patience ends is lost as well.
func (l *line) unheard(m message, w *bufio.Writer) bool {
	if l.last(m, w) {
		discard(l.client)
		l.ended()
	}
	return false
}

// last forwards the statement and the end of its cycle.
func (l *line) last(m message, w *bufio.Writer) bool {
	if !l.pass(m, w) || (m.kind() != 'Q' && !l.endCycle(syncMessage(), w)) {
		return false
	}
	return w.Flush() == nil
}

// answered waits until the database has answered everything, or a little while.
func (l *line) answered() {
	for deadline := time.Now().Add(linger); time.Now().Before(deadline); {
		l.mu.Lock()
		done := l.got >= l.sent || l.closed
		l.mu.Unlock()
		select {
		case <-l.over:
			return
		case <-l.p.done:
			return
		default:
		}
		if done {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
