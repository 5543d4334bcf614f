package wire

import (
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

const storedVersion = 1

// Stored is the state of an event's seats after a message of the stream, written
// down by one gateway for the next: whoever begins with it and applies every later
// message has what a database snapshot would give.
type Stored struct {
	Event    id.ID
	Position        // of the newest message about the event that it includes
	Seen     uint64 // not before Position.Offset: no later message about the event up to here
	Last     id.ID  // delta id of the message at Seen, of whichever event: by it the stream is known again; zero: there was none
	Sections []Range
	Statuses []inventory.Status
	Versions []int64 // below 2^53
}

// EncodeStored returns the value of the bucket of snapshots for s, whose sections
// cover its seats without a hole.
func EncodeStored(s Stored) []byte {
	dst := make([]byte, 0, 64+2*len(s.Sections)+len(s.Statuses)/4+2*len(s.Versions))
	dst = append(dst, storedVersion)
	dst = append(dst, s.Event[:]...)
	dst = append(dst, s.Last[:]...)
	dst = appendPosition(dst, s.Position)
	dst = appendVarint(dst, s.Seen-s.Offset)
	dst = appendVarint(dst, uint64(len(s.Sections)))
	for _, r := range s.Sections {
		dst = appendVarint(dst, uint64(r.To-r.From))
	}
	dst = AppendPacked(dst, s.Statuses)
	for _, v := range s.Versions {
		dst = appendVarint(dst, uint64(v))
	}
	return dst
}

// DecodeStored reads what EncodeStored wrote. Errors wrap ErrMalformed or are ErrVersion.
func DecodeStored(b []byte) (Stored, error) {
	var s Stored
	c := &cursor{rest: b}
	if v := c.byte("version"); c.err == nil && v != storedVersion {
		return s, ErrVersion
	}
	copy(s.Event[:], c.bytes(16, "event id"))
	copy(s.Last[:], c.bytes(16, "delta id"))
	s.Position = decodePosition(c)
	if s.Seen = s.Offset + c.varint("seen"); s.Seen > MaxNumber {
		c.fail("seen")
	}
	n := c.count(min(MaxSections, len(c.rest)), "number of sections")
	seats := uint64(0)
	for range n {
		from := seats
		if seats += c.varint("section length"); seats > MaxSeats {
			c.fail("seats")
			break
		}
		s.Sections = append(s.Sections, Range{From: seatmap.Ordinal(from), To: seatmap.Ordinal(seats)})
	}
	s.Statuses = unpack(c, int(seats))
	if len(c.rest) < len(s.Statuses) {
		c.fail("seat versions")
	}
	if c.err == nil {
		s.Versions = make([]int64, len(s.Statuses))
	}
	for i := range s.Versions {
		s.Versions[i] = int64(c.varint("seat version"))
	}
	if err := c.done(); err != nil {
		return Stored{}, err
	}
	return s, nil
}
