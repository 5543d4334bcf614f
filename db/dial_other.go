//go:build !linux

package db

import (
	"syscall"
	"time"
)

// giveUpAfter does nothing where the kernel has no such setting: keep-alive probes and our own deadlines remain.
func giveUpAfter(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
