package wire

import (
	"encoding/binary"
	"time"

	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// AppendHello appends h to dst.
func AppendHello(dst []byte, h Hello) []byte {
	dst = append(dst, kindHello)
	dst = append(dst, h.Event[:]...)
	dst = appendVarint(dst, uint64(len(h.Token)))
	dst = append(dst, h.Token...)
	flags := byte(0)
	if h.Inflates {
		flags |= flagInflates
	}
	if h.Resume != nil {
		flags |= flagResume
	}
	dst = append(dst, flags)
	if h.Resume != nil {
		dst = appendPosition(dst, *h.Resume)
	}
	return appendView(dst, h.View)
}

// Bits of a hello's flags; others are malformed.
const (
	flagResume   = 1
	flagInflates = 2
)

// AppendView appends v as a message of its own.
func AppendView(dst []byte, v View) []byte { return appendView(append(dst, kindView), v) }

func appendView(dst []byte, v View) []byte {
	dst = append(dst, byte(v.Mode))
	if v.Mode != Sections {
		return dst
	}
	dst = appendVarint(dst, uint64(len(v.Sections)))
	next := 0
	for _, s := range v.Sections {
		dst = appendVarint(dst, uint64(s-next))
		next = s + 1
	}
	return dst
}

func appendPosition(dst []byte, p Position) []byte {
	dst = appendVarint(dst, uint64(p.Event))
	dst = appendVarint(dst, p.Stream)
	return appendVarint(dst, p.Offset)
}

// SnapshotSize is an upper bound of the bytes of a snapshot of seats in ranges.
func SnapshotSize(seats, ranges int) int { return 1 + 24 + 8 + 3 + 6*ranges + (seats+3)/4 }

// AppendSnapshot appends s to dst.
func AppendSnapshot(dst []byte, s Snapshot) []byte {
	dst = appendPosition(append(dst, kindSnapshot), s.Position)
	dst = appendVarint(dst, uint64(s.Seats))
	dst = appendVarint(dst, uint64(len(s.Ranges)))
	end := seatmap.Ordinal(0)
	for _, r := range s.Ranges {
		dst = appendVarint(dst, uint64(r.From-end))
		dst = appendVarint(dst, uint64(r.To-r.From))
		end = r.To
	}
	return AppendPacked(dst, s.Statuses)
}

// AppendPacked appends two bits a seat, seat i at bits 2*(i%4) of byte i/4.
func AppendPacked(dst []byte, statuses []inventory.Status) []byte {
	for len(statuses) >= 4 {
		b := statuses[0]&3 | statuses[1]&3<<2 | statuses[2]&3<<4 | statuses[3]&3<<6
		dst = append(dst, byte(b))
		statuses = statuses[4:]
	}
	if len(statuses) == 0 {
		return dst
	}
	var last byte
	for i, s := range statuses {
		last |= byte(s&3) << (2 * i)
	}
	return append(dst, last)
}

// AppendDelta appends d to dst; its changes ascend by ordinal.
func AppendDelta(dst []byte, d Delta) []byte {
	dst = append(dst, kindDelta)
	dst = binary.LittleEndian.AppendUint16(dst, d.Mark)
	dst = appendVarint(dst, d.From)
	dst = appendVarint(dst, d.To-d.From)
	dst = appendVarint(dst, millis(d.At))
	dst = appendVarint(dst, uint64(len(d.Changes)))
	next := seatmap.Ordinal(0)
	for _, c := range d.Changes {
		dst = appendVarint(dst, uint64(c.Ordinal-next)<<2|uint64(c.Status&3))
		next = c.Ordinal + 1
	}
	return dst
}

// AppendSummary appends s to dst.
func AppendSummary(dst []byte, s Summary) []byte {
	dst = appendPosition(append(dst, kindSummary), s.Position)
	dst = appendVarint(dst, millis(s.At))
	dst = appendVarint(dst, uint64(len(s.Free)))
	for _, n := range s.Free {
		dst = appendVarint(dst, uint64(n))
	}
	return dst
}

// AppendNotice appends n to dst. A body over MaxNotice is the caller's mistake and is cut to "{}".
func AppendNotice(dst []byte, n Notice) []byte {
	body := n.Body
	if len(body) > MaxNotice {
		body = []byte("{}")
	}
	dst = append(dst, kindNotice, byte(n.Kind))
	dst = appendVarint(dst, uint64(len(body)))
	return append(dst, body...)
}

// AppendBye appends b to dst; the text is cut to MaxText bytes.
func AppendBye(dst []byte, b Bye) []byte {
	text := b.Text[:min(len(b.Text), MaxText)]
	dst = appendVarint(append(dst, kindBye), uint64(b.Code))
	dst = appendVarint(dst, uint64(max(0, b.After.Milliseconds())))
	dst = appendVarint(dst, uint64(max(0, b.Spread.Milliseconds())))
	dst = appendVarint(dst, uint64(len(text)))
	return append(dst, text...)
}

// millis is 0 for the zero time, which stands for "no change".
func millis(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(max(0, t.UnixMilli()))
}

// Append appends any frame to dst.
func Append(dst []byte, f Frame) []byte {
	switch f := f.(type) {
	case Hello:
		return AppendHello(dst, f)
	case View:
		return AppendView(dst, f)
	case Snapshot:
		return AppendSnapshot(dst, f)
	case Deflated:
		return AppendDeflated(dst, f)
	case Delta:
		return AppendDelta(dst, f)
	case Summary:
		return AppendSummary(dst, f)
	case Notice:
		return AppendNotice(dst, f)
	case Bye:
		return AppendBye(dst, f)
	}
	return dst
}
