package fanoutbench

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// ownUsage is this process's.
func ownUsage() usage {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r) // cannot fail for SELF
	var total, resident int64
	statm, _ := os.ReadFile("/proc/self/statm") // without /proc the figure is 0, which nobody takes for true
	_, _ = fmt.Sscan(strings.TrimSpace(string(statm)), &total, &resident)
	return usage{RSS: resident * int64(os.Getpagesize()), CPU: time.Duration(r.Utime.Nano() + r.Stime.Nano())}
}
