package holdbench

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// CPU time is what a hold costs; unlike the rate it hardly moves with what else the machine does.

// meter reads the CPU time of this process and of a private database server.
type meter struct {
	server int // process id of the server, 0: it is somebody else's
}

type reading struct{ client, server time.Duration }

func (m meter) read() reading {
	var own syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &own)
	return reading{client: time.Duration(own.Utime.Nano() + own.Stime.Nano()), server: m.serverTime()}
}

// clockTick is Linux's USER_HZ, the same on every architecture that Go runs on.
const clockTick = 10 * time.Millisecond

// serverTime sums the server and its children. One that ended is in its parent's account.
func (m meter) serverTime() time.Duration {
	if m.server == 0 {
		return 0
	}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	var ticks int64
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		const parent, utime, cutime, cstime = 1, 11, 13, 14
		itself := filepath.Base(filepath.Dir(file)) == strconv.Itoa(m.server)
		if len(fields) <= cstime || !itself && number(fields[parent]) != int64(m.server) {
			continue
		}
		ticks += number(fields[utime]) + number(fields[utime+1])
		if itself {
			ticks += number(fields[cutime]) + number(fields[cstime])
		}
	}
	return time.Duration(ticks) * clockTick
}

func number(field []byte) int64 {
	n, _ := strconv.ParseInt(string(field), 10, 64)
	return n
}

// since is what was used from then to now, per hold, in microseconds.
func (m meter) since(then reading, holds int64) (client, server float64) {
	now := m.read()
	if holds == 0 {
		return 0, 0
	}
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(holds) }
	return per(now.client - then.client), per(now.server - then.server)
}
