package fanoutbench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"plateia/realtime/wire"
)

// The little WebSocket that a load tool needs: what comes is from a server we
// measure, unmasked and not fragmented; what goes is masked with zeros.

const (
	opText   = 0x1
	opBinary = 0x2
	opClose  = 0x8
	opPing   = 0x9
	opPong   = 0xa
)

// upgrade is the request that opens viewer n's connection.
func upgrade(t *viewerTask, n int) []byte {
	path, protocol := "/connection/uni_websocket", ""
	if t.Service == plateia {
		path = "/v1/events/" + t.event(n).String() + "/live"
		protocol = "Sec-WebSocket-Protocol: " + wire.Subprotocol + "\r\n"
	}
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: cGxhdGVpYSBiZW5jaGZhbg==\r\n%s\r\n", path, t.target(n), protocol)
}

// greeting is the first message of viewer n.
func greeting(t *viewerTask, n int) []byte {
	if t.Service == centrifugo {
		return message(opText, fmt.Appendf(nil, `{"subs":{%q:{}}}`, t.event(n).String()))
	}
	view := wire.View{Mode: wire.Whole}
	if t.overview(n) {
		view.Mode = wire.Overview
	}
	event := t.event(n)
	return message(opBinary, wire.AppendHello(nil, wire.Hello{Event: event, Token: token(event, t.account(n)), View: view}))
}

// message frames a payload of a client: masked, with a mask of zeros.
func message(op byte, payload []byte) []byte {
	b := []byte{0x80 | op, 0x80 | byte(len(payload))}
	if len(payload) > 125 {
		b[1] = 0x80 | 126
		b = binary.BigEndian.AppendUint16(b, uint16(len(payload)))
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

// cut takes the first frame off b; ok is false while it is not complete.
func cut(b []byte) (op byte, payload, rest []byte, ok bool) {
	if len(b) < 2 {
		return 0, nil, b, false
	}
	head, length := 2, int(b[1]&0x7f)
	switch {
	case length == 126 && len(b) >= 4:
		head, length = 4, int(binary.BigEndian.Uint16(b[2:]))
	case length == 127 && len(b) >= 10:
		head, length = 10, int(binary.BigEndian.Uint64(b[2:])&0x7fffffff)
	case length >= 126:
		return 0, nil, b, false
	}
	if len(b)-head < length {
		return 0, nil, b, false
	}
	return b[0] & 0xf, b[head : head+length], b[head+length:], true
}

// news is what a frame told its viewer.
type news struct {
	state   bool   // it knows the map now (snapshot, summary, answer to the connect command)
	change  bool   // something changed
	summary bool   // told by a summary
	gap     bool   // a frame between was not seen
	bye     string // the end is near, and why
	at      int64  // commit of the oldest change, Unix ms
}

// hear understands a frame of our gateway and moves the viewer's position.
func hear(frame []byte, position *uint64) (n news) {
	if len(frame) < 4 {
		return n
	}
	c := numbers(frame[1:])
	switch frame[0] {
	case 0x18: // snapshot
		c.next()
		c.next()
		*position, n.state = c.next(), true
	case 0x19: // delta
		c = c[2:]
		from := c.next()
		to := from + c.next()
		n.gap = from > *position
		*position = max(*position, to)
		n.at = int64(c.next())
		n.change = c.next() > 0
	case 0x1a: // summary
		c.next()
		c.next()
		*position = max(*position, c.next())
		n.at, n.state, n.summary = int64(c.next()), true, true
		n.change = n.at != 0
	case 0x1c: // bye
		n.bye = fmt.Sprint("bye ", c.next())
	}
	return n
}

var oldest = []byte(`"at":`)

// hearCentrifugo understands a frame of Centrifugo: the answer to the connect command or publications, one JSON
// object a line.
func hearCentrifugo(frame []byte) (n news) {
	if bytes.HasPrefix(frame, []byte(`{"connect"`)) {
		n.state = true
		return n
	}
	if i := bytes.Index(frame, oldest); i >= 0 {
		digits := frame[i+len(oldest):]
		n.at, _ = strconv.ParseInt(string(digits[:min(13, len(digits))]), 10, 64)
		n.change = true
	}
	return n
}

// numbers reads varints of frames that were encoded by us.
type numbers []byte

func (c *numbers) next() uint64 {
	v, n := binary.Uvarint(*c)
	*c = (*c)[max(n, 0):]
	return v
}

// maxLate bounds what is told apart, in ms.
const maxLate = 60_000

// late is how old a change is, in whole ms.
func late(now time.Time, at int64) int { return int(min(max(0, now.UnixMilli()-at)+1, maxLate)) }
