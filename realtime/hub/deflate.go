package hub

import (
	"sync"

	"plateia/realtime/wire"
)

// deflater is the hub's one compressor: it is big, and snapshots are compressed once per group and tick.
type deflater struct {
	mu sync.Mutex
	wire.Deflater
}

// deflate returns a snapshot frame deflated, or as it is when that would not be shorter.
func (h *Hub) deflate(snapshot []byte) []byte {
	h.deflater.mu.Lock()
	defer h.deflater.mu.Unlock()
	h.count.deflations.Add(1)
	return h.deflater.Deflate(snapshot)
}
