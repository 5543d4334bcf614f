package gateway

import (
	"syscall"
	"unsafe"
)

// tryWrite writes what the kernel takes without waiting.
//
// The call is raw because it never blocks: told of it, Go's scheduler would hand the processor to another thread whenever
// the kernel takes more than 20 µs, which on a full machine is often.
func tryWrite(fd int, p []byte) (took int, err error) {
	for took < len(p) {
		n, _, e := syscall.RawSyscall6(syscall.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&p[took])), uintptr(len(p)-took), syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, 0, 0) //nolint:gosec // as syscall.sendto does it
		switch e {
		case 0:
			took += int(n)
		case syscall.EINTR:
		case syscall.EAGAIN:
			return took, nil
		default:
			return took, e
		}
	}
	return took, nil
}
