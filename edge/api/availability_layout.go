package api

import (
	"encoding/binary"
	"strings"

	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// The binary availability document. Numbers are little-endian.
//
//	offset  bytes      what
//	0       4          "PLAV"
//	4       1          version of this layout, 1
//	5       1          0: a whole event, 1: a section with numbered seats, 2: a general-admission area
//	6       2          n, how many sections follow
//	8       8          epoch
//	16      8          offset
//	24      4          ordinal of the first seat
//	28      4          seats
//	32      4n         free seats of each section, in the chart's order
//	32+4n   ⌈seats/4⌉  two bits a seat, the first seat lowest (0 available, 1 held, 2 sold, 3 blocked); nothing for an area
const (
	layoutMagic   = "PLAV"
	layoutVersion = 1
)

const (
	kindWhole   = 0
	kindSection = 1
	kindArea    = 2
)

func appendAvailability(b []byte, now *inventory.Availability, section int) []byte {
	kind, from, to, free, bitmap := byte(kindWhole), seatmap.Ordinal(0), seatmap.Ordinal(now.Chart.Seats()), now.Free, now.Statuses
	if section != wholeEvent {
		s := &now.Chart.Sections()[section]
		kind, from, to, free, bitmap = kindSection, s.From, s.To, now.Free[section:section+1], sectionBitmap(now, section)
		if s.General {
			kind = kindArea
		}
	}
	b = append(b, layoutMagic...)
	b = append(b, layoutVersion, kind)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(free))) //nolint:gosec // charts have fewer sections
	b = binary.LittleEndian.AppendUint64(b, uint64(now.Epoch)) //nolint:gosec // positive
	b = binary.LittleEndian.AppendUint64(b, now.Offset)
	b = binary.LittleEndian.AppendUint32(b, uint32(from))    //nolint:gosec // positive
	b = binary.LittleEndian.AppendUint32(b, uint32(to-from)) //nolint:gosec // positive
	for _, n := range free {
		b = binary.LittleEndian.AppendUint32(b, uint32(n)) //nolint:gosec // a count
	}
	return append(b, bitmap...)
}

// sectionBitmap is a section's seats, its first seat lowest; nil for an area, of which people see counts.
func sectionBitmap(now *inventory.Availability, section int) []byte {
	s := &now.Chart.Sections()[section]
	if s.General {
		return nil
	}
	out := make([]byte, (s.To-s.From+3)/4)
	for o := s.From; o < s.To; o++ {
		status := now.Statuses[o/4] >> (2 * (o % 4)) & 3
		i := o - s.From
		out[i/4] |= status << (2 * (i % 4))
	}
	return out
}

// sectionKey is a section's label as a path names it. A path here has one spelling and no percent
// signs, so what is not a letter, digit, "-", "_" or "." is written ~ and two hexadecimal
// digits for each of its bytes: "Block A" is Block~20A. A leading "." is written so too.
func sectionKey(label string) string {
	var b strings.Builder
	for i := range len(label) {
		if c := label[i]; plainKey(c) && (c != '.' || i > 0) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'~', upperHex[c>>4], upperHex[c&15]})
		}
	}
	return b.String()
}

const upperHex = "0123456789ABCDEF"

func plainKey(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}

// sectionLabel reads a key back; false for every other spelling.
func sectionLabel(key string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(key); i++ {
		if key[i] != '~' {
			b.WriteByte(key[i])
			continue
		}
		if i+2 >= len(key) {
			return "", false
		}
		high, low := strings.IndexByte(upperHex, key[i+1]), strings.IndexByte(upperHex, key[i+2])
		if high < 0 || low < 0 {
			return "", false
		}
		b.WriteByte(byte(high<<4 | low))
		i += 2
	}
	label := b.String()
	return label, label != "" && sectionKey(label) == key
}
