// Package id is the identifier of everything Plateia stores: 128 random bits,
// written as a UUID (RFC 9562, version 4 or 8).
package id

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"
)

// ID names one event, seat holder, hold, order, ticket, … The zero ID means "none".
type ID [16]byte

// ErrMalformed is returned by Parse for anything but the 36-character form.
var ErrMalformed = errors.New("id: not a UUID")

// New returns a fresh random ID. It cannot fail: crypto/rand aborts the
// program when the system has no randomness.
func New() ID {
	var v ID
	rand.Read(v[:])
	v[6] = v[6]&0x0f | 0x40
	v[8] = v[8]&0x3f | 0x80
	return v
}

// NewIn returns a fresh ID that sorts beside those made for the same group at about
// the same time (version 8), so that the rows of a rush go to one place of an index and not to
// a page of their own each; different groups go to different places. 62 bits are random.
func NewIn(group ID) ID {
	v := New()
	ticks := uint32(time.Now().UnixMilli() >> 4) // 28 bits come around in 50 days: only the order suffers
	copy(v[:4], group[12:])
	v[4], v[5] = byte(ticks>>20), byte(ticks>>12)
	v[6], v[7] = 0x80|byte(ticks>>8)&0x0f, byte(ticks)
	return v
}

// Parse reads the canonical form 8-4-4-4-12; upper and lower case are the same ID.
func Parse(s string) (ID, error) {
	var v ID
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return ID{}, ErrMalformed
	}
	digits := s[0:8] + s[9:13] + s[14:18] + s[19:23] + s[24:36]
	if _, err := hex.Decode(v[:], []byte(digits)); err != nil {
		return ID{}, ErrMalformed
	}
	return v, nil
}

// IsZero reports whether v is the zero ID, which names nothing.
func (v ID) IsZero() bool { return v == ID{} }

// String returns the canonical lower-case form.
func (v ID) String() string {
	var out [36]byte
	hex.Encode(out[0:8], v[0:4])
	hex.Encode(out[9:13], v[4:6])
	hex.Encode(out[14:18], v[6:8])
	hex.Encode(out[19:23], v[8:10])
	hex.Encode(out[24:36], v[10:16])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}

// MarshalText makes IDs JSON strings.
func (v ID) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText wrote; ErrMalformed otherwise.
func (v *ID) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*v = parsed
	return nil
}
