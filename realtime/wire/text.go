package wire

import (
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"
)

// String is the position as server-sent events carry it: "event epoch.stream incarnation.offset".
func (p Position) String() string {
	return strconv.FormatInt(p.Event, 10) + "." + strconv.FormatUint(p.Stream, 10) + "." + strconv.FormatUint(p.Offset, 10)
}

// ParsePosition reads what Position.String writes, in that one form. Errors wrap ErrMalformed.
func ParsePosition(text string) (Position, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return Position{}, malformed("position")
	}
	var n [3]uint64
	for i, part := range parts {
		v, ok := parseNumber(part, MaxNumber)
		if !ok {
			return Position{}, malformed("position")
		}
		n[i] = v
	}
	return Position{Epoch: Epoch{Event: int64(n[0]), Stream: n[1]}, Offset: n[2]}, nil
}

// String is the view as server-sent events ask for it: "overview", "whole" or ascending section indexes, "0.7.12".
func (v View) String() string {
	switch v.Mode {
	case Whole:
		return "whole"
	case Sections:
		words := make([]string, len(v.Sections))
		for i, s := range v.Sections {
			words[i] = strconv.Itoa(s)
		}
		return strings.Join(words, ".")
	}
	return "overview"
}

// ParseView reads what View.String writes. Errors wrap ErrMalformed.
func ParseView(text string) (View, error) {
	switch text {
	case "overview":
		return View{Mode: Overview}, nil
	case "whole":
		return View{Mode: Whole}, nil
	}
	v := View{Mode: Sections}
	for part := range strings.SplitSeq(text, ".") {
		s, ok := parseNumber(part, MaxSections-1)
		last := len(v.Sections) - 1
		if !ok || last >= 0 && int(s) <= v.Sections[last] || len(v.Sections) == MaxViewSections {
			return View{}, malformed("view")
		}
		v.Sections = append(v.Sections, int(s))
	}
	return v, nil
}

// parseNumber reads a number in its shortest form.
func parseNumber(text string, limit uint64) (uint64, bool) {
	v, err := strconv.ParseUint(text, 10, 64)
	return v, err == nil && v <= limit && (text[0] != '0' || len(text) == 1) && text[0] != '+'
}

// Reached is the position of a viewer that has been given this frame of a gateway; before is where it was. Frames that
// do not move a viewer, and those of another epoch, leave it there. It reads no further than it must.
func Reached(frame []byte, before Position) Position {
	if len(frame) == 0 {
		return before
	}
	c := &cursor{rest: frame[1:]}
	switch frame[0] {
	case kindSnapshot, kindDeflated:
		if p := decodePosition(c); c.err == nil {
			return p
		}
	case kindDelta:
		mark := c.bytes(2, "mark")
		from := c.varint("from")
		to := from + c.varint("length of range")
		if c.err == nil && binary.LittleEndian.Uint16(mark) == before.Mark() && from <= before.Offset && to > before.Offset {
			before.Offset = to
		}
	}
	return before
}

// OfMap reports whether a frame of a gateway says something about the map that is looked at. The others, notices and
// byes, are about the viewer.
func OfMap(frame []byte) bool {
	return len(frame) > 0 && frame[0] != kindNotice && frame[0] != kindBye
}

// AsBye decodes a frame if it is a bye.
func AsBye(frame []byte) (Bye, bool) {
	if len(frame) == 0 || frame[0] != kindBye {
		return Bye{}, false
	}
	c := &cursor{rest: frame[1:]}
	bye := decodeBye(c)
	return bye, c.done() == nil
}

// AppendEvent appends one frame as a server-sent event whose id is the position it leads to; a zero position has none.
// A bye also tells browsers' own clients when to come back: after so many milliseconds; 0 leaves that out.
func AppendEvent(dst, frame []byte, at Position, retryMillis int64) []byte {
	if at != (Position{}) {
		dst = append(append(append(dst, "id: "...), at.String()...), '\n')
	}
	if retryMillis > 0 {
		dst = append(strconv.AppendInt(append(dst, "retry: "...), retryMillis, 10), '\n')
	}
	dst = base64.StdEncoding.AppendEncode(append(dst, "data: "...), frame)
	return append(dst, "\n\n"...)
}
