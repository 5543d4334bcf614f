package store

import (
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Dial connects to a server in this process (natsd.Server); closing ends the connection.
func Dial(server interface {
	InProcessConn() (net.Conn, error)
}) (js jetstream.JetStream, closing func(), err error) {
	conn, err := nats.Connect("", nats.InProcessServer(server), nats.Name("plateia log"),
		nats.MaxReconnects(-1), nats.ReconnectWait(200*time.Millisecond), nats.ReconnectBufSize(-1))
	if err != nil {
		return nil, nil, fmt.Errorf("store: %w", err)
	}
	if js, err = jetstream.New(conn); err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("store: %w", err)
	}
	return js, conn.Close, nil
}
