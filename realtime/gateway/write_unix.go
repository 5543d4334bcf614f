//go:build unix && !linux

package gateway

import (
	"errors"
	"syscall"
)

// tryWrite writes what the kernel takes without waiting.
func tryWrite(fd int, p []byte) (took int, err error) {
	for took < len(p) {
		n, err := syscall.Write(fd, p[took:])
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN):
			return took, nil
		case err != nil:
			return took, err
		default:
			took += n
		}
	}
	return took, nil
}
