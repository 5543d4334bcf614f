package hub

import (
	"plateia/core/id"
	"plateia/realtime/wire"
)

// listen takes the notices of other processes until stop is called. Without them pages still ask by themselves.
func (e *event) listen() (stop func()) {
	if e.hub.o.Notices == nil {
		return func() {}
	}
	stop, err := e.hub.o.Notices.Notices(e.id, e.heard)
	if err != nil {
		e.hub.o.Logger.Warn("hub: no notices", "event", e.id, "error", err)
		return func() {}
	}
	return stop
}

func (e *event) heard(account id.ID, n wire.Notice) {
	if account.IsZero() {
		e.tellAll(n)
		return
	}
	e.tell(account, n)
}

// tell sends a notice to an account's viewers. Most accounts of a sale look elsewhere: the frame is made when one is here.
func (e *event) tell(account id.ID, n wire.Notice) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v := e.owners[account]
	if v == nil {
		return
	}
	frame := wire.AppendNotice(nil, n)
	for ; v != nil; v = v.peer {
		e.hub.count.notices.Add(1)
		e.give(v, frame)
	}
}

func (e *event) tellAll(n wire.Notice) {
	frame := wire.AppendNotice(nil, n)
	e.mu.Lock()
	defer e.mu.Unlock()
	for v := range e.viewers {
		e.hub.count.notices.Add(1)
		e.give(v, frame)
	}
}

// own makes a viewer findable by its account. Signed-out viewers have none.
func (e *event) own(v *Viewer) {
	if !v.account.IsZero() {
		v.peer = e.owners[v.account]
		e.owners[v.account] = v
	}
}

func (e *event) disown(v *Viewer) {
	if v.account.IsZero() {
		return
	}
	first := e.owners[v.account]
	switch {
	case first == v && v.peer == nil:
		delete(e.owners, v.account)
	case first == v:
		e.owners[v.account] = v.peer
	default:
		for at := first; at != nil; at = at.peer {
			if at.peer == v {
				at.peer = v.peer
				break
			}
		}
	}
	v.peer = nil
}
