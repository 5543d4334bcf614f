package fanoutbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"time"
)

// seat of a viewer in the crowd.
type viewer struct {
	fd       int
	number   int
	state    state
	round    int32 // the last one it has heard of
	position uint64
	partial  []byte // of a frame that is not complete
}

type state uint8

const (
	absent    state = iota
	upgrading       // the request is sent
	greeted         // the first message is sent
	live            // it knows the map
	lost
)

// connecting is how many connections are opened at the same time.
const connecting = 256

// crowd is all viewers of a process, served by one thread.
type crowd struct {
	task    *viewerTask
	answers *json.Encoder
	poll    int
	viewers []viewer
	reader  *receiver

	asked, opened  int // viewers that are wanted, that were opened
	live, lost     int
	why            string
	round, heard   int32 // heard: live viewers that have the round's change
	last           int64 // Unix ns when the latest of these came
	waiting        bool  // for the end of a round
	connectPending bool
	yielded        bool
	tally          tally
	latency        []int64 // frames by ms until they came
	latencyRead    []int64 // until they were read
	summary        []int64
	began          time.Duration // processor time at begin
}

// attend is the crowd's thread.
func attend(ctx context.Context, task *viewerTask, orders <-chan order, answers *json.Encoder) error {
	poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return fmt.Errorf("fanoutbench: epoll: %w", err)
	}
	defer syscall.Close(poll)
	c := newCrowd(task, poll, answers)
	defer c.leave()
	events := make([]syscall.EpollEvent, 512)
	for n := 0; ctx.Err() == nil; {
		select {
		case o, more := <-orders:
			if !more {
				return nil
			}
			if err := c.obey(o); err != nil {
				return err
			}
		default:
		}
		if err := c.open(); err != nil {
			return err
		}
		if n, err = syscall.EpollWait(poll, events, blink(n)); err != nil && !errors.Is(err, syscall.EINTR) {
			return fmt.Errorf("fanoutbench: epoll: %w", err)
		}
		for _, e := range events[:max(n, 0)] {
			c.read(&c.viewers[e.Fd])
		}
		if err := c.settle(); err != nil {
			return err
		}
	}
	return nil
}

func newCrowd(task *viewerTask, poll int, answers *json.Encoder) *crowd {
	c := &crowd{task: task, answers: answers, poll: poll, viewers: make([]viewer, task.Count), reader: newReceiver(256 << 10)}
	c.begin()
	return c
}

// blink closes the crowd's eyes for two milliseconds after it has seen something and
// returns how long to wait for more, in ms. Someone who waits is woken at the sender's
// expense: without it the gateway would pay for thousands of wakings that viewers elsewhere do not cost it.
func blink(seen int) (wait int) {
	if seen <= 0 {
		return 5
	}
	if seen < 512 { // all there was
		time.Sleep(2 * time.Millisecond)
	}
	return 0
}

func (c *crowd) begin() {
	c.tally, c.began = tally{}, ownUsage().CPU
	c.latency, c.latencyRead, c.summary = make([]int64, maxLate+1), make([]int64, maxLate+1), make([]int64, maxLate+1)
}

func (c *crowd) obey(o order) error {
	switch o.Do {
	case "connect":
		c.asked, c.connectPending = c.task.Count, true
		return nil
	case "round":
		c.round++
		c.heard, c.last, c.waiting = 0, 0, true
	case "begin":
		if err := c.yield(); err != nil {
			return err
		}
		c.begin()
	case "report":
		t := c.tally
		t.CPU = ownUsage().CPU - c.began
		t.Latency, t.LatencyRead, t.Summary = counted(c.latency), counted(c.latencyRead), counted(c.summary)
		return c.answer(answer{Tally: &t})
	}
	return c.answer(answer{})
}

// yield happens once everybody is connected: a gateway does not wait long for a greeting.
func (c *crowd) yield() error {
	if c.task.Hasty || c.yielded {
		return nil
	}
	c.yielded = true
	return yieldToAll()
}

func (c *crowd) answer(a answer) error {
	a.Live, a.Lost, a.Why = c.live, c.lost, c.why
	if err := c.answers.Encode(a); err != nil {
		return fmt.Errorf("fanoutbench: answer: %w", err)
	}
	return nil
}

// settle answers what had to wait: everybody is there, everybody has the change.
func (c *crowd) settle() error {
	if c.connectPending && c.live+c.lost == c.task.Count {
		c.connectPending = false
		return c.answer(answer{})
	}
	if c.waiting && int(c.heard) >= c.live {
		c.waiting = false
		return c.answer(answer{Last: c.last, LastRead: time.Now().UnixNano()})
	}
	return nil
}

// open opens some more connections.
func (c *crowd) open() error {
	for c.opened < c.asked && c.opened-c.live-c.lost < connecting {
		v := &c.viewers[c.opened]
		v.number = c.task.First + c.opened
		if err := c.dial(v, c.opened); err != nil {
			return fmt.Errorf("fanoutbench: viewer %d: %w", v.number, err)
		}
		c.opened++
	}
	return nil
}

// ipBindAddressNoPort leaves the choice of the port to connect, which knows the
// other end: one port can then be used for several gateways.
const ipBindAddressNoPort = 24

func (c *crowd) dial(v *viewer, place int) error {
	target, err := netip.ParseAddrPort(c.task.target(v.number))
	if err != nil {
		return err
	}
	if v.fd, err = newSocket(); err != nil {
		return err
	}
	if err := syscall.SetsockoptInt(v.fd, syscall.IPPROTO_IP, ipBindAddressNoPort, 1); err != nil {
		return err
	}
	if err := syscall.Bind(v.fd, &syscall.SockaddrInet4{Addr: c.task.source(v.number)}); err != nil {
		return err
	}
	if err := syscall.Connect(v.fd, &syscall.SockaddrInet4{Addr: target.Addr().Unmap().As4(), Port: int(target.Port())}); err != nil {
		return err
	}
	if err := syscall.SetNonblock(v.fd, true); err != nil {
		return err
	}
	v.state = upgrading
	if _, err := syscall.Write(v.fd, upgrade(c.task, v.number)); err != nil {
		return err
	}
	return syscall.EpollCtl(c.poll, syscall.EPOLL_CTL_ADD, v.fd, &syscall.EpollEvent{
		Events: syscall.EPOLLIN | syscall.EPOLLRDHUP | edgeTriggered, Fd: int32(place),
	})
}

const edgeTriggered = 1 << 31

// read takes what has come until there is no more.
func (c *crowd) read(v *viewer) {
	for v.state != lost {
		n, at, errno := c.reader.readNow(v.fd)
		switch {
		case errno == syscall.EINTR:
			continue
		case errno == syscall.EAGAIN:
			return
		case errno != 0 || n == 0:
			c.lose(v, fmt.Sprint("connection ended: ", errno))
			return
		}
		c.tally.Bytes += int64(n)
		c.take(v, c.reader.buffer[:n], at)
		if n < len(c.reader.buffer) {
			return
		}
	}
}

// take understands what has come, whole frames only.
func (c *crowd) take(v *viewer, b []byte, at arrival) {
	if v.partial != nil {
		b = append(v.partial, b...)
		v.partial = nil
	}
	if v.state == upgrading {
		if b = c.upgraded(v, b); b == nil {
			return
		}
	}
	for v.state != lost {
		op, payload, rest, ok := cut(b)
		if !ok {
			break
		}
		b = rest
		c.frame(v, op, payload, at)
	}
	if len(b) > 0 {
		v.partial = append([]byte(nil), b...)
	}
}

// upgraded greets once the answer to the upgrade is there; it returns what came behind it.
func (c *crowd) upgraded(v *viewer, b []byte) []byte {
	head, rest, complete := bytes.Cut(b, []byte("\r\n\r\n"))
	if !complete {
		v.partial = append([]byte(nil), b...)
		return nil
	}
	if !bytes.HasPrefix(head, []byte("HTTP/1.1 101")) {
		status, _, _ := bytes.Cut(head, []byte("\r\n"))
		c.lose(v, "not upgraded: "+string(status))
		return nil
	}
	v.state = greeted
	if _, err := syscall.Write(v.fd, greeting(c.task, v.number)); err != nil {
		c.lose(v, err.Error())
		return nil
	}
	return rest
}

func (c *crowd) frame(v *viewer, op byte, payload []byte, at arrival) {
	switch op {
	case opText:
		c.told(v, hearCentrifugo(payload), at)
	case opBinary:
		c.told(v, hear(payload, &v.position), at)
	case opPing:
		if _, err := syscall.Write(v.fd, message(opPong, payload)); err != nil {
			c.lose(v, err.Error())
		}
	case opClose:
		c.lose(v, fmt.Sprintf("closed: %q", payload))
	}
}

func (c *crowd) told(v *viewer, n news, at arrival) {
	if n.bye != "" {
		c.lose(v, n.bye)
		return
	}
	if n.state && v.state == greeted {
		v.state = live
		c.live++
	}
	if n.gap {
		c.tally.Gaps++
	}
	if !n.change {
		return
	}
	c.count(n, at)
	if v.round != c.round {
		v.round = c.round
		c.heard++
		c.last = max(c.last, at.came.UnixNano())
	}
}

func (c *crowd) count(n news, at arrival) {
	c.tally.Frames++
	if !at.stamped {
		c.tally.Unstamped++
	}
	if n.summary {
		c.summary[late(at.came, n.at)]++
		return
	}
	c.latency[late(at.came, n.at)]++
	c.latencyRead[late(at.read, n.at)]++
}

func (c *crowd) lose(v *viewer, why string) {
	if v.state == lost {
		return
	}
	if v.state == live {
		c.live--
		if v.round == c.round {
			c.heard--
		}
	}
	v.state = lost
	c.lost++
	c.why = why
	syscall.Close(v.fd)
}

func (c *crowd) leave() {
	for i := range c.viewers[:c.opened] {
		if v := &c.viewers[i]; v.state != lost {
			syscall.Close(v.fd)
		}
	}
}
