package gateway

import (
	"sync/atomic"
	"time"

	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

type counters struct {
	accepted, refused, badOrigin, badToken        atomic.Int64
	streams                                       atomic.Int64
	received, frames, bytes, stalled, writeErrors atomic.Int64
	byes                                          [16]atomic.Int64
}

// Stats are gauges of now and counts since New.
type Stats struct {
	Viewers     int64 // connections now
	Most        int64 // connections at most
	Streams     int64 // of them, over server-sent events
	Accepted    int64 // connections begun
	Refused     int64 // requests refused before that
	BadOrigin   int64 // of them, for their Origin
	BadToken    int64 // hellos with a token that is not valid here
	Received    int64 // messages from viewers
	Frames      int64 // messages written
	Bytes       int64 // of their payloads
	Stalled     int64 // times a viewer did not take what was written
	WriteErrors int64
	WriterLag   time.Duration          // of the slowest writer: how long a round of frames takes
	Byes        map[wire.ByeCode]int64 // connections ended by us, by code
	Hub         hub.Stats
}

// Stats returns the numbers of now.
func (g *Gateway) Stats() Stats {
	g.mu.Lock()
	viewers := len(g.conns)
	g.mu.Unlock()
	s := Stats{
		Viewers: int64(viewers), Most: int64(g.o.MaxConns), Streams: g.count.streams.Load(), Accepted: g.count.accepted.Load(), Refused: g.count.refused.Load(),
		BadOrigin: g.count.badOrigin.Load(), BadToken: g.count.badToken.Load(), Received: g.count.received.Load(),
		Frames: g.count.frames.Load(), Bytes: g.count.bytes.Load(), Stalled: g.count.stalled.Load(),
		WriteErrors: g.count.writeErrors.Load(), WriterLag: g.lag(), Byes: map[wire.ByeCode]int64{}, Hub: g.hub.Stats(),
	}
	for code := range g.count.byes {
		if n := g.count.byes[code].Load(); n > 0 {
			s.Byes[wire.ByeCode(code)] = n
		}
	}
	return s
}

func (g *Gateway) countBye(code wire.ByeCode) {
	if int(code) < len(g.count.byes) {
		g.count.byes[code].Add(1)
	}
}
