//go:build !unix

package gateway

import "syscall"

// tryWrite takes nothing: elsewhere every write goes through the connection's own goroutine.
func tryWrite(syscall.RawConn, []byte) (int, error) { return 0, nil }
