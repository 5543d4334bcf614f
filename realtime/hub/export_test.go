package hub

import "plateia/realtime/wire"

// Take moves the waiting frames to dst, which it returns. With a bye nothing more will ever come.
func (v *Viewer) Take(dst [][]byte) ([][]byte, *wire.Bye) {
	v.mu.Lock()
	defer v.mu.Unlock()
	dst = append(dst, v.queue...)
	clear(v.queue)
	v.queue, v.bytes = v.queue[:0], 0
	if cap(v.queue) > 4 {
		v.queue = nil // an idle viewer must not keep the room that a burst took
	}
	return dst, v.bye
}
