package main

import (
	"net"
	"syscall"
	"testing"
)

// What a listener accepts gives up on a vanished viewer after a minute, not after a quarter of an hour.
func TestGhostsAreLetGo(t *testing.T) {
	lc := net.ListenConfig{Control: letGhostsGo}
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	viewer, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer viewer.Close()
	ours, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	raw, err := ours.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		got, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout)
		if err != nil || int64(got) != ghostsLast.Milliseconds() {
			t.Errorf("an accepted connection waits %d ms, %v", got, err)
		}
	})
}
