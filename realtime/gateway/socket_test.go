package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// TestFramesGoAroundTheLibrary sends frames of every length of header past the library while it answers pings: a
// client must see both whole and in order.
func TestFramesGoAroundTheLibrary(t *testing.T) {
	sizes := []int{1, 125, 126, 500, oneWrite, 65_535, 65_536, 300_000}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		small := &smallBuffers{ResponseWriter: w, timeout: time.Hour}
		ws, err := websocket.Accept(small, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		small.conn.flushed = func() {}
		l := socketLine{ws, small.conn}
		go func() {
			for _, size := range sizes {
				if err := l.send(bytes.Repeat([]byte{byte(size)}, size)); err != nil {
					t.Error(err)
				}
			}
		}()
		_, _, _ = ws.Read(context.Background())
	}))
	defer server.Close()
	ws, _, err := websocket.Dial(t.Context(), server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	ws.SetReadLimit(1 << 20)
	pinged := make(chan error, 1)
	go func() { pinged <- ws.Ping(t.Context()) }()
	for _, size := range sizes {
		kind, got, err := ws.Read(t.Context())
		if err != nil || kind != websocket.MessageBinary || !bytes.Equal(got, bytes.Repeat([]byte{byte(size)}, size)) {
			t.Fatalf("%d bytes: got %v of %d bytes: %v", size, kind, len(got), err)
		}
	}
	go func() { _, _, _ = ws.Read(t.Context()) }() // for the pong
	if err := <-pinged; err != nil {
		t.Error("ping:", err)
	}
}

// TestNothingAfterTheLastMessage: the closing handshake is the library's, and a frame behind it would be noise.
func TestNothingAfterTheLastMessage(t *testing.T) {
	ours, theirs := tcpPair(t)
	n := newNetConn(ours, nil, time.Second)
	if err := n.message([]byte("one")); err != nil {
		t.Fatal(err)
	}
	n.lastMessage()
	if err := n.message([]byte("two")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a message after the last: %v", err)
	}
	n.Close()
	if _, err := n.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a write after Close: %v", err)
	}
	got, err := io.ReadAll(theirs)
	if want := "\x82\x03one"; err != nil || string(got) != want {
		t.Errorf("the other end has %q, %v", got, err)
	}
}

func tcpPair(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if theirs, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if ours, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	return ours, theirs
}
