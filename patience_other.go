//go:build !linux

package main

import "syscall"

// letGhostsGo does nothing here: the system has its own patience.
func letGhostsGo(_, _ string, _ syscall.RawConn) error { return nil }
