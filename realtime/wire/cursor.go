package wire

import (
	"errors"
	"fmt"
)

// ErrMalformed is wrapped by every decoding error except ErrVersion.
var ErrMalformed = errors.New("wire: malformed")

// ErrVersion says that the bytes are of a version this code does not speak.
var ErrVersion = errors.New("wire: unknown version")

// MaxNumber is the greatest varint: what a JavaScript number holds exactly.
const MaxNumber = 1<<53 - 1

func malformed(what string) error { return fmt.Errorf("%w: %s", ErrMalformed, what) }

// cursor reads a message and remembers the first thing that was wrong with it,
// so that decoders read like the specification.
type cursor struct {
	rest []byte
	err  error
}

func (c *cursor) fail(what string) {
	if c.err == nil {
		c.err = malformed(what)
	}
	c.rest = nil
}

func (c *cursor) byte(what string) byte {
	if len(c.rest) == 0 {
		c.fail(what)
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

// bytes returns the next n bytes without copying them.
func (c *cursor) bytes(n int, what string) []byte {
	if n < 0 || n > len(c.rest) {
		c.fail(what)
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) varint(what string) uint64 {
	var v uint64
	for i := 0; i < 8 && i < len(c.rest); i++ {
		b := c.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			if (b == 0 && i > 0) || v > MaxNumber {
				break
			}
			c.rest = c.rest[i+1:]
			return v
		}
	}
	c.fail(what)
	return 0
}

// count is a varint that must not be over limit.
func (c *cursor) count(limit int, what string) int {
	v := c.varint(what)
	if v > uint64(limit) {
		c.fail(what + " over its limit")
		return 0
	}
	return int(v)
}

// done returns the first error, or one for bytes that should not be there.
func (c *cursor) done() error {
	if c.err == nil && len(c.rest) > 0 {
		c.fail("trailing bytes")
	}
	return c.err
}

func appendVarint(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}
