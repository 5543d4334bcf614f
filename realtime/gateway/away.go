package gateway

import (
	"time"

	"plateia/realtime/wire"
)

// awayRate is how many viewers a second are sent elsewhere.
const awayRate = 2000

// heed has viewers come back elsewhere once what they need has been away for Options.Away: here their map is late. They
// are told once each time; who comes back all the same has nowhere else to go and stays.
func (g *Gateway) heed() {
	ticker := time.NewTicker(min(time.Second, max(g.o.Away/4, time.Millisecond)))
	defer ticker.Stop()
	var since time.Time // of the first failure in a row
	told := false
	for {
		select {
		case <-g.ctx.Done():
			return
		case now := <-ticker.C:
			if err := g.o.Ready(g.ctx); err == nil {
				since, told = time.Time{}, false
			} else if since.IsZero() {
				since = now
			} else if !told && now.Sub(since) >= g.o.Away {
				told = true
				g.sendAway(err)
			}
		}
	}
}

func (g *Gateway) sendAway(why error) {
	g.mu.Lock()
	conns := g.list()
	g.mu.Unlock()
	spread := max(2*time.Second, time.Duration(len(conns))*time.Second/awayRate)
	g.o.Logger.Warn("gateway: viewers are sent elsewhere", "viewers", len(conns), "after", g.o.Away, "error", why)
	bye := wire.AppendBye(nil, wire.Bye{Code: wire.ByeDrain, Spread: spread, Text: "changes do not reach this gateway"})
	for _, c := range conns {
		c.tell(bye)
	}
}
