package fanoutbench

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// arrival is when something came: at the viewer's kernel, and at its process, which
// may have had to wait for a processor. Both are the same if the kernel did not say.
type arrival struct {
	came, read time.Time
	stamped    bool // by the kernel
}

// receiver reads from sockets that were made by newSocket.
type receiver struct {
	buffer  []byte
	place   syscall.Iovec
	note    stampNote
	message syscall.Msghdr
}

// stampNote is the one control message that these sockets have.
type stampNote struct {
	head syscall.Cmsghdr
	at   syscall.Timespec
}

func newReceiver(size int) *receiver {
	r := &receiver{buffer: make([]byte, size)}
	r.place.Base = &r.buffer[0]
	r.place.SetLen(size)
	r.message.Iov, r.message.Iovlen = &r.place, 1
	r.message.Control = (*byte)(unsafe.Pointer(&r.note))
	return r
}

// readNow reads what is there from a socket that does not block, without telling the scheduler, which would look for
// other work meanwhile. What is read at once came with its last segment.
func (r *receiver) readNow(fd int) (n int, at arrival, errno syscall.Errno) {
	r.message.SetControllen(int(unsafe.Sizeof(r.note)))
	r.note.head = syscall.Cmsghdr{}
	size, _, errno := syscall.RawSyscall(syscall.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.message)), 0) //nolint:gosec // as syscall.Recvmsg does it
	if errno != 0 {
		return 0, at, errno
	}
	at.read = time.Now()
	at.came = at.read
	if r.note.head.Level == syscall.SOL_SOCKET && r.note.head.Type == syscall.SCM_TIMESTAMPNS {
		at.came, at.stamped = time.Unix(r.note.at.Unix()), true
	}
	return int(size), at, 0
}

// newSocket opens a TCP socket whose kernel notes when each segment comes.
func newSocket() (fd int, err error) {
	if fd, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0); err != nil {
		return -1, err
	}
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1); err != nil {
		syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}

// politeness is the nice value of viewers, the lowest priority there is.
const politeness = 19

// yieldToAll gives this process the lowest priority, so that it reads while nobody has anything to send. A
// thread has its priority from the one that made it: when a look finds no new thread, none is left. Where the
// scheduler shares processors among sessions first (autogroup), the process needs one of its own, at the lowest priority too.
func yieldToAll() error {
	if _, err := syscall.Setsid(); err == nil {
		_ = os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(politeness)), 0) // not every kernel has it
	}
	done := map[string]bool{}
	for more := true; more; {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("fanoutbench: own threads: %w", err)
		}
		more = false
		for _, t := range threads {
			number, err := strconv.Atoi(t.Name())
			if err != nil || done[t.Name()] {
				continue
			}
			if err := syscall.Setpriority(syscall.PRIO_PROCESS, number, politeness); err != nil && err != syscall.ESRCH { //nolint:errorlint // an Errno; ESRCH: it has ended
				return fmt.Errorf("fanoutbench: priority: %w", err)
			}
			done[t.Name()], more = true, true
		}
	}
	return nil
}
