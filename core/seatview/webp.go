package seatview

import (
	"encoding/binary"
	"slices"
)

// webpSize reads a WebP file: its chunks must fill it exactly, and one of them must be the one frame, whose size is
// answered. A file that moves is none that we take. The format is RFC 9649.
func webpSize(body []byte) (width, height int, ok bool) {
	if len(body) < 12 || string(body[:4]) != "RIFF" || string(body[8:12]) != "WEBP" || int(binary.LittleEndian.Uint32(body[4:])) != len(body)-8 {
		return 0, 0, false
	}
	frames := 0
	for rest := body[12:]; len(rest) > 0; {
		name, data, after, whole := webpChunk(rest)
		if !whole || name == "ANIM" || name == "ANMF" {
			return 0, 0, false
		}
		if name == "VP8 " || name == "VP8L" {
			if width, height, ok = frameSize(name, data); !ok {
				return 0, 0, false
			}
			frames++
		}
		rest = after
	}
	return width, height, frames == 1
}

func webpChunk(rest []byte) (name string, data, after []byte, whole bool) {
	if len(rest) < 8 {
		return "", nil, nil, false
	}
	size := int(binary.LittleEndian.Uint32(rest[4:]))
	end := 8 + size + size&1 // padded to an even length
	if size > len(rest) || end > len(rest) {
		return "", nil, nil, false
	}
	return string(rest[:4]), rest[8 : 8+size], rest[end:], true
}

// frameSize reads the head of a frame: with losses (RFC 6386, a key frame) or without.
func frameSize(name string, data []byte) (width, height int, ok bool) {
	if name == "VP8L" {
		if len(data) < 5 || data[0] != 0x2f {
			return 0, 0, false
		}
		bits := binary.LittleEndian.Uint32(data[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, bits>>29 == 0
	}
	if len(data) < 10 || data[0]&1 != 0 || !slices.Equal(data[3:6], []byte{0x9d, 0x01, 0x2a}) {
		return 0, 0, false
	}
	return int(binary.LittleEndian.Uint16(data[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(data[8:]) & 0x3fff), true
}
