package holdbench

import (
	"bytes"
	"math"
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

// each is a duration's part of one of n, in microseconds to a tenth; 0 of none.
func each(d time.Duration, n int64) float64 {
	if n == 0 {
		return 0
	}
	return math.Round(10*float64(d.Microseconds())/float64(n)) / 10
}
