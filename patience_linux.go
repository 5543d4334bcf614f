package main

import "syscall"

const tcpUserTimeout = 18 // TCP_USER_TIMEOUT, which package syscall does not name

// letGhostsGo sets ghostsLast on a listening socket; the connections that it accepts inherit it.
func letGhostsGo(_, _ string, socket syscall.RawConn) error {
	var failed error
	err := socket.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(ghostsLast.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
