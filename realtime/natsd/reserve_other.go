//go:build !linux

package natsd

// reserve does nothing where there is no abstract namespace: who asks twice at a time may then be told the same.
func reserve(int) bool { return true }
