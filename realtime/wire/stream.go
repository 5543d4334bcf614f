package wire

import (
	"time"

	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// MaxSeats bounds ordinals and the number of changes of a message.
const MaxSeats = 1 << 20

const streamVersion = 1

// streamHeader is the version byte and the two ids.
const streamHeader = 1 + 16 + 16

// EncodeStream returns the stream message of d, whose changes ascend by ordinal.
// It is what the outbox row and the JetStream message carry.
func EncodeStream(d inventory.Delta) []byte {
	return AppendStream(make([]byte, 0, streamHeader+12+4*len(d.Changes)), d)
}

// AppendStream is EncodeStream into dst.
func AppendStream(dst []byte, d inventory.Delta) []byte {
	dst = append(dst, streamVersion)
	dst = append(dst, d.ID[:]...)
	dst = append(dst, d.Event[:]...)
	dst = appendVarint(dst, uint64(max(0, d.At.UnixMicro())))
	dst = appendVarint(dst, uint64(len(d.Changes)))
	next := seatmap.Ordinal(0)
	for _, c := range d.Changes {
		dst = appendVarint(dst, uint64(c.Ordinal-next))
		dst = appendVarint(dst, uint64(c.Version)<<2|uint64(c.Status&3))
		next = c.Ordinal + 1
	}
	return dst
}

// DecodeStream reads what EncodeStream wrote. Errors wrap ErrMalformed or are ErrVersion.
func DecodeStream(b []byte) (inventory.Delta, error) {
	var d inventory.Delta
	c := cursor{rest: b}
	if v := c.byte("version"); c.err == nil && v != streamVersion {
		return d, ErrVersion
	}
	copy(d.ID[:], c.bytes(16, "delta id"))
	copy(d.Event[:], c.bytes(16, "event id"))
	d.At = time.UnixMicro(int64(c.varint("commit time"))).UTC()
	n := c.count(min(MaxSeats, len(c.rest)/2), "number of changes")
	if c.err == nil {
		d.Changes = make([]inventory.Change, 0, n)
	}
	next := uint64(0)
	for range n {
		o := next + c.varint("ordinal")
		sv := c.varint("seat version")
		if c.err != nil || o >= MaxSeats {
			c.fail("ordinal")
			break
		}
		d.Changes = append(d.Changes, inventory.Change{
			Ordinal: seatmap.Ordinal(o), Status: inventory.Status(sv & 3), Version: int64(sv >> 2),
		})
		next = o + 1
	}
	if err := c.done(); err != nil {
		return inventory.Delta{}, err
	}
	return d, nil
}
