package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"strings"

	"github.com/coder/websocket"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/realtime/wire"
)

// live begins a connection. Refusals before that are cheap; of those of a WebSocket
// a page cannot read anything and simply tries again later.
func (g *Gateway) live(w http.ResponseWriter, r *http.Request) {
	event, err := id.Parse(r.PathValue("eventId"))
	switch {
	case err != nil:
		g.refuse(w, http.StatusNotFound, fault.NotFound, "no such event")
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		g.refuse(w, http.StatusMethodNotAllowed, fault.MethodNotAllowed, "the live map is opened with GET")
		return
	case !isUpgrade(r) && !wantsEvents(r):
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		g.refuse(w, http.StatusUpgradeRequired, fault.Invalid, "the live map is a WebSocket, or text/event-stream")
		return
	case !g.originAllowed(r, event):
		g.count.badOrigin.Add(1)
		g.refuse(w, http.StatusForbidden, fault.Forbidden, "this origin may not show the map")
		return
	}
	from := block(g.o.ClientIP(r))
	if g.full() {
		w.Header().Set("Retry-After", "5")
		g.refuse(w, http.StatusServiceUnavailable, fault.Busy, "this gateway is full or stops")
		return
	}
	if !g.limits.takeBlock(from) {
		w.Header().Set("Retry-After", "30")
		g.refuse(w, http.StatusTooManyRequests, fault.RateLimited, "too many connections of this network")
		return
	}
	begin := g.accept
	if !isUpgrade(r) {
		begin = g.stream
	}
	if err := begin(w, r, event, from); err != nil {
		g.limits.give(from, id.ID{})
		if !errors.Is(err, errRefused) {
			g.count.refused.Add(1)
		}
	}
}

func isUpgrade(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// errRefused is of a request that was refused, and counted, in words.
var errRefused = errors.New("gateway: refused")

// refuse answers with a problem (RFC 9457), like the API does.
func (g *Gateway) refuse(w http.ResponseWriter, status int, code fault.Code, text string) {
	g.count.refused.Add(1)
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client is gone: nothing to be done
		"type": "about:blank", "title": http.StatusText(status), "status": status,
		"code": code, "detail": text, "retryable": code == fault.Busy || code == fault.RateLimited,
	})
}

func (g *Gateway) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.draining || len(g.conns) >= g.o.MaxConns
}

func (g *Gateway) accept(w http.ResponseWriter, r *http.Request, event id.ID, from netip.Prefix) error {
	small := &smallBuffers{ResponseWriter: w, timeout: g.o.WriteTimeout}
	c := &conn{g: g, event: event, origin: foreignOrigin(r), block: from}
	ws, err := websocket.Accept(small, r, &websocket.AcceptOptions{
		OnPingReceived: func(context.Context, []byte) bool { return c.ping() },
		Subprotocols:   []string{wire.Subprotocol}, CompressionMode: websocket.CompressionDisabled,
		InsecureSkipVerify: true, // originAllowed has checked it, with a list that patterns cannot widen
	})
	if err != nil {
		return err
	}
	ws.SetReadLimit(-1) // the library would close without a bye; see read, and takes behind it
	c.ws, c.net, c.line = ws, small.conn, socketLine{ws, small.conn}
	return g.begin(c, c.read)
}

// begin makes the connection one of the gateway's. The handler returns: its
// goroutine, its stack and net/http's buffers are free.
func (g *Gateway) begin(c *conn, read func()) error {
	c.shard = g.shards[g.count.accepted.Add(1)%int64(len(g.shards))]
	c.net.flushed, c.net.intake = c.wake, c.takes
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.draining {
		c.line.drop()
		return errors.New("gateway: stopping")
	}
	g.conns[c] = struct{}{}
	g.done.Go(read)
	return nil
}
