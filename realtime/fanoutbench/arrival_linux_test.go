package fanoutbench

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// readLate is how long the viewer of the test leaves a frame unread.
const readLate = 30 * time.Millisecond

func TestAFrameHasComeWhenTheKernelHasIt(t *testing.T) {
	var answers bytes.Buffer
	c, server := oneViewer(t, &answers)
	awaitStamps(t, c, server)
	if err := c.obey(order{Do: "round"}); err != nil {
		t.Fatal(err)
	}
	answers.Reset()

	written := time.Now()
	send(t, server, wire.AppendDelta(nil, wire.Delta{From: 300, To: 301, At: written, Changes: []wire.SeatStatus{{Ordinal: 7, Status: inventory.Held}}}))
	awaitReadable(t, c)
	there := time.Now()
	time.Sleep(readLate) // the kernel's clock cannot be a fake
	c.read(&c.viewers[0])
	if err := c.settle(); err != nil {
		t.Fatal(err)
	}

	var a answer
	if err := json.Unmarshal(answers.Bytes(), &a); err != nil {
		t.Fatalf("%v: %q", err, answers.String())
	}
	if a.Last < written.UnixNano() || a.Last > there.UnixNano() {
		t.Errorf("came %v after it was written, was there after %v", time.Duration(a.Last-written.UnixNano()), there.Sub(written))
	}
	if least := there.Add(readLate).UnixNano(); a.LastRead < least {
		t.Errorf("read %v too early", time.Duration(least-a.LastRead))
	}
	if c.tally.Unstamped != 0 || c.tally.Frames != 1 {
		t.Errorf("%d of %d frames without the kernel's time", c.tally.Unstamped, c.tally.Frames)
	}
	came, read := counted(c.latency).quantile(1), counted(c.latencyRead).quantile(1)
	if waited := float64(readLate.Milliseconds()); came+waited-1 > read {
		t.Errorf("latency %v ms, %v until read, which was %v later", came, read, waited)
	}
}

// oneViewer is a crowd of one that knows the map, and its server's end.
func oneViewer(t *testing.T, answers io.Writer) (*crowd, net.Conn) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(poll) })
	c := newCrowd(&viewerTask{Service: plateia, Targets: []string{l.Addr().String()}, Events: []id.ID{id.New()}, Count: 1}, poll, json.NewEncoder(answers))
	t.Cleanup(c.leave)
	c.asked = 1
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	if _, err := io.WriteString(server, "HTTP/1.1 101 Switching Protocols\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	send(t, server, wire.AppendSnapshot(nil, wire.Snapshot{Position: wire.Position{Epoch: wire.Epoch{Event: 1, Stream: 1}, Offset: 300}}))
	for c.live == 0 && c.lost == 0 {
		awaitReadable(t, c)
		c.read(&c.viewers[0])
	}
	if c.lost > 0 {
		t.Fatal(c.why)
	}
	return c, server
}

// awaitStamps waits for the kernel, which starts to note times a little after the first socket asked for it.
func awaitStamps(t *testing.T, c *crowd, server io.Writer) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		send(t, server, wire.AppendDelta(nil, wire.Delta{From: 300, To: 300}))
		awaitReadable(t, c)
		if _, at, _ := c.reader.readNow(c.viewers[0].fd); at.stamped {
			return
		}
	}
	t.Fatal("this kernel does not note when segments come")
}

func send(t *testing.T, to io.Writer, payload []byte) {
	t.Helper()
	if _, err := to.Write(append([]byte{0x80 | opBinary, byte(len(payload))}, payload...)); err != nil {
		t.Fatal(err)
	}
}

func awaitReadable(t *testing.T, c *crowd) {
	t.Helper()
	events := make([]syscall.EpollEvent, 1)
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if n, _ := syscall.EpollWait(c.poll, events, 1000); n > 0 {
			return
		}
	}
	t.Fatal("nothing came")
}
