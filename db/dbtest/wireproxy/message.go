package wireproxy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// message is one message of the protocol with its header, except the first of a line, which has no type.
type message []byte

func (m message) kind() byte   { return m[0] }
func (m message) body() []byte { return m[5:] }

// text is the string that starts the body, and what follows it.
func text(b []byte) (string, []byte) {
	s, rest, _ := bytes.Cut(b, []byte{0})
	return string(s), rest
}

// longest is more than any statement of ours, and less than what would hurt.
const longest = 64 << 20

var errMessage = errors.New("wireproxy: not the PostgreSQL protocol")

// read returns the next message. Its bytes are valid until the next call with the same buffer.
func read(r *bufio.Reader, buf *[]byte) (message, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	return readBody(r, buf, head[:])
}

func readBody(r *bufio.Reader, buf *[]byte, head []byte) (message, error) {
	size := int(binary.BigEndian.Uint32(head[len(head)-4:]))
	if size < 4 || size > longest {
		return nil, errMessage
	}
	whole := len(head) - 4 + size
	if cap(*buf) < whole {
		*buf = make([]byte, whole)
	}
	m := (*buf)[:whole]
	copy(m, head)
	_, err := io.ReadFull(r, m[len(head):])
	return m, err
}

// readStartup returns the first message of a line, which has no type.
func readStartup(r *bufio.Reader) (message, uint32, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, 0, err
	}
	var buf []byte
	m, err := readBody(r, &buf, head[:])
	if err != nil || len(m) < 8 {
		return nil, 0, errors.Join(errMessage, err)
	}
	return m, binary.BigEndian.Uint32(m[4:8]), nil
}

// Codes that the first message may have instead of a version.
const (
	codeCancel = 80877102
	codeTLS    = 80877103
	codeGSS    = 80877104
)

func build(kind byte, body []byte) message {
	m := append(make(message, 0, 5+len(body)), kind, 0, 0, 0, 0)
	m = append(m, body...)
	binary.BigEndian.PutUint32(m[1:5], uint32(len(m)-1)) //nolint:gosec // far below 4 GB
	return m
}

func query(sql string) message { return build('Q', append([]byte(sql), 0)) }

// broken is a Parse that no database accepts: what follows it up to Sync is skipped, and the transaction is aborted.
func broken() message { return build('P', append([]byte("\x00injected fault\x00"), 0, 0)) }

func syncMessage() message { return build('S', nil) }

// refusal is the ErrorResponse that the program gets.
func refusal(code string) message {
	var body []byte
	for field, value := range map[byte]string{
		'S': "ERROR", 'V': "ERROR", 'C': code, 'M': "injected fault", 'n': "injected",
	} {
		body = append(append(append(body, field), value...), 0)
	}
	return build('E', append(body, 0))
}
