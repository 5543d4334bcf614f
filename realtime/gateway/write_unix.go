//go:build unix

package gateway

import (
	"errors"
	"syscall"
)

// tryWrite writes what the kernel takes without waiting.
func tryWrite(raw syscall.RawConn, p []byte) (took int, err error) {
	rawErr := raw.Write(func(fd uintptr) bool {
		for took < len(p) {
			n, e := syscall.Write(int(fd), p[took:])
			switch {
			case errors.Is(e, syscall.EINTR):
				continue
			case errors.Is(e, syscall.EAGAIN):
				return true
			case e != nil:
				err = e
				return true
			}
			took += n
		}
		return true
	})
	if err == nil {
		err = rawErr
	}
	return took, err
}
