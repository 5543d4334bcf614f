// Package client is a viewer in Go: for the load tool, for tests, and for
// programs that want to see a map move.
package client
