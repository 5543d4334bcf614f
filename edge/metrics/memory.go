package metrics

import (
	"os"
	"strconv"
	"strings"
)

// PeakMemoryName is the gauge of PeakMemory.
const PeakMemoryName = "process_resident_memory_max_bytes"

// PeakMemory is the most memory this process ever had resident, bytes; 0 where
// the system does not tell (it is Linux that does).
func PeakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kB, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64) // 0 is "not told"
			return kB * 1024
		}
	}
	return 0
}

// memory adds the peak to what Prometheus' own collector tells of a process.
func memory() []Sample {
	return []Sample{{Name: PeakMemoryName, Help: "Most resident memory the process ever had.", Kind: Gauge, Number: float64(PeakMemory())}}
}
