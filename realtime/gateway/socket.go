package gateway

import (
	"encoding/binary"
	"net"

	"github.com/coder/websocket"

	"plateia/realtime/wire"
)

// socketLine is a WebSocket. The library shakes hands, reads, answers pings and closes; frames go around it, because all
// there is to a frame of a server is a header of four bytes, and the library's locks and copies cost as
// much as a quarter of the kernel's work. The two never mix within a frame: each gives netConn whole ones.
type socketLine struct {
	ws  *websocket.Conn
	net *netConn
}

func (l socketLine) send(frame []byte) error { return l.net.message(frame) }

// end waits for the viewer's part of the closing handshake.
func (l socketLine) end(bye wire.Bye) {
	l.net.lastMessage()
	_ = l.ws.Close(websocket.StatusCode(bye.Code.CloseCode()), bye.Text[:min(len(bye.Text), wire.MaxText)])
}

func (l socketLine) drop() { _ = l.ws.CloseNow() }

// binaryMessage is the first byte of a message that is one frame.
const binaryMessage = 0x80 | byte(websocket.MessageBinary)

// oneWrite is how long a frame with its header may be to go out in one write by way
// of a copy; of a longer one the beginning does, the rest goes as it is.
const oneWrite = 512

// message writes a frame as a binary WebSocket message, or keeps it; it does not wait.
func (n *netConn) message(frame []byte) error {
	var room [oneWrite]byte
	head := append(appendHeader(room[:0], len(frame)), frame[:min(len(frame), oneWrite-maxHeader)]...)
	rest := frame[min(len(frame), oneWrite-maxHeader):]
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended {
		return net.ErrClosed
	}
	if err := n.write(head); err != nil || len(rest) == 0 {
		return err
	}
	return n.write(rest)
}

// lastMessage lets no message follow: what comes now is the closing handshake.
func (n *netConn) lastMessage() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
}

const maxHeader = 10

// appendHeader appends the header of an unmasked message of so many bytes (RFC 6455, 5.2).
func appendHeader(dst []byte, length int) []byte {
	switch {
	case length < 126:
		return append(dst, binaryMessage, byte(length))
	case length <= 0xffff:
		return binary.BigEndian.AppendUint16(append(dst, binaryMessage, 126), uint16(length))
	}
	return binary.BigEndian.AppendUint64(append(dst, binaryMessage, 127), uint64(length))
}
