package natsd

import (
	"strconv"
	"syscall"
)

// reserve keeps a port from being given to any other process by FreeAddr for as long as this one lives, also while nobody listens at it: a name
// in the abstract namespace, of which the kernel knows one and which it forgets with the process. One descriptor a port is its price.
func reserve(port int) bool {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return true // no reservation, then; nobody listens there at least
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: "@plateia-port-" + strconv.Itoa(port)}); err != nil {
		_ = syscall.Close(fd)
		return err != syscall.EADDRINUSE
	}
	return true
}
