package wire

import (
	"encoding/binary"
	"encoding/json"
	"time"

	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// Decode reads one viewer protocol message of either direction. Errors wrap
// ErrMalformed, or are ErrVersion. The frame does not keep b.
func Decode(b []byte) (Frame, error) {
	if len(b) == 0 {
		return nil, malformed("empty message")
	}
	if b[0]&versionMask != version {
		return nil, ErrVersion
	}
	c := &cursor{rest: b[1:]}
	f := decodeBody(c, b[0])
	if err := c.done(); err != nil {
		return nil, err
	}
	return f, nil
}

func decodeBody(c *cursor, kind byte) Frame {
	switch kind {
	case kindHello:
		return decodeHello(c)
	case kindView:
		return decodeView(c)
	case kindSnapshot:
		return decodeSnapshot(c)
	case kindDelta:
		return decodeDelta(c)
	case kindSummary:
		return decodeSummary(c)
	case kindNotice:
		return decodeNotice(c)
	case kindBye:
		return decodeBye(c)
	case kindDeflated:
		return decodeDeflated(c)
	}
	c.fail("unknown kind of message")
	return nil
}

func decodeHello(c *cursor) Hello {
	var h Hello
	copy(h.Event[:], c.bytes(16, "event id"))
	h.Token = string(c.bytes(c.count(MaxToken, "token length"), "token"))
	flags := c.byte("flags")
	if flags&^(flagResume|flagInflates) != 0 {
		c.fail("flags")
	}
	h.Inflates = flags&flagInflates != 0
	if flags&flagResume != 0 {
		p := decodePosition(c)
		h.Resume = &p
	}
	h.View = decodeView(c)
	return h
}

func decodePosition(c *cursor) Position {
	return Position{
		Epoch:  Epoch{Event: int64(c.varint("event epoch")), Stream: c.varint("stream incarnation")},
		Offset: c.varint("offset"),
	}
}

func decodeView(c *cursor) View {
	v := View{Mode: Mode(c.byte("view mode"))}
	if v.Mode > Sections {
		c.fail("view mode")
	}
	if v.Mode != Sections {
		return v
	}
	n := c.count(MaxViewSections, "number of sections")
	if n == 0 {
		c.fail("view without sections")
	}
	next := uint64(0)
	for range n {
		s := next + c.varint("section")
		if s >= MaxSections {
			c.fail("section")
		}
		if c.err != nil {
			break
		}
		v.Sections = append(v.Sections, int(s))
		next = s + 1
	}
	return v
}

func decodeSnapshot(c *cursor) Snapshot { return decodeSeats(c, decodePosition(c)) }

// decodeSeats reads what follows a snapshot's position.
func decodeSeats(c *cursor, at Position) Snapshot {
	s := Snapshot{Position: at}
	s.Seats = c.count(MaxSeats, "seats")
	n := c.count(min(MaxSections, len(c.rest)/2), "number of ranges")
	end, seats := uint64(0), 0
	for range n {
		from := end + c.varint("range")
		to := from + c.varint("range length")
		if c.err != nil || to == from || to > uint64(s.Seats) {
			c.fail("range")
			break
		}
		s.Ranges = append(s.Ranges, Range{From: seatmap.Ordinal(from), To: seatmap.Ordinal(to)})
		end, seats = to, seats+int(to-from)
	}
	s.Statuses = unpack(c, seats)
	return s
}

func unpack(c *cursor, seats int) []inventory.Status {
	packed := c.bytes((seats+3)/4, "statuses")
	if c.err != nil || seats == 0 {
		return nil
	}
	if used := seats % 4; used != 0 && packed[len(packed)-1]>>(2*used) != 0 {
		c.fail("bits after the last seat")
		return nil
	}
	statuses := make([]inventory.Status, seats)
	for i := range statuses {
		statuses[i] = inventory.Status(packed[i/4]>>(2*(i%4))) & 3
	}
	return statuses
}

func decodeDelta(c *cursor) Delta {
	var d Delta
	if m := c.bytes(2, "mark"); m != nil {
		d.Mark = binary.LittleEndian.Uint16(m)
	}
	d.From = c.varint("from")
	d.To = d.From + c.varint("length of range")
	if d.To > MaxNumber {
		c.fail("to")
	}
	d.At = fromMillis(c.varint("commit time"))
	n := c.count(min(MaxSeats, len(c.rest)), "number of changes")
	if c.err == nil && n > 0 {
		d.Changes = make([]SeatStatus, 0, n)
	}
	next := uint64(0)
	for range n {
		v := c.varint("change")
		o := next + v>>2
		if c.err != nil || o >= MaxSeats {
			c.fail("ordinal")
			break
		}
		d.Changes = append(d.Changes, SeatStatus{Ordinal: seatmap.Ordinal(o), Status: inventory.Status(v & 3)})
		next = o + 1
	}
	return d
}

func decodeSummary(c *cursor) Summary {
	s := Summary{Position: decodePosition(c), At: fromMillis(c.varint("commit time"))}
	n := c.count(min(MaxSections, len(c.rest)), "number of sections")
	for range n {
		s.Free = append(s.Free, c.count(MaxSeats, "free seats"))
	}
	return s
}

func decodeNotice(c *cursor) Notice {
	n := Notice{Kind: NoticeKind(c.byte("notice kind"))}
	n.Body = append(n.Body, c.bytes(c.count(MaxNotice, "notice length"), "notice")...)
	if c.err == nil && !json.Valid(n.Body) {
		c.fail("notice is not JSON")
	}
	return n
}

func decodeBye(c *cursor) Bye {
	return Bye{
		Code:   ByeCode(c.count(999, "bye code")),
		After:  time.Duration(c.count(maxWaitMillis, "reconnect after")) * time.Millisecond,
		Spread: time.Duration(c.count(maxWaitMillis, "spread")) * time.Millisecond,
		Text:   string(c.bytes(c.count(MaxText, "text length"), "text")),
	}
}

// maxWaitMillis is a day: no gateway may send its viewers away for longer.
const maxWaitMillis = 24 * 60 * 60 * 1000

func fromMillis(ms uint64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}
