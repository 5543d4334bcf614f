package db

import (
	"context"
	"net"
	"time"
)

// tcpTimeout is how long what was sent may stay unacknowledged, and a silent peer unheard, before the kernel gives the line up.
const tcpTimeout = 10 * time.Second

// dial connects to the database with time-outs that notice a host that has gone without a word.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: tcpTimeout / 2, Interval: time.Second, Count: 5},
		Control:         giveUpAfter(tcpTimeout),
	}
	return d.DialContext(ctx, network, address)
}
