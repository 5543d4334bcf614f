package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"plateia/core/secret"
	"plateia/realtime/stream"
)

// natsConfig is where the NATS servers are and who we are to them.
type natsConfig struct {
	urls     string
	access   stream.Access
	password string
	replicas int
}

// natsPatience is how long a start waits for the servers. Seats are sold without them too.
const natsPatience = 15 * time.Second

func (n *natsConfig) flags(fs *flag.FlagSet) {
	fs.StringVar(&n.urls, "nats", "", "comma-separated `URLs` of NATS servers with JetStream, all of one cluster (nats:// or tls://); a sweeper alone may do without")
	fs.StringVar(&n.access.Credentials, "nats-creds", "", "credentials `file` for NATS (.creds)")
	fs.StringVar(&n.access.User, "nats-user", "", "`user` at NATS, instead of credentials")
	fs.StringVar(&n.password, "nats-password", "", "`password` of that user")
	fs.StringVar(&n.access.CA, "nats-ca", "", "`file` with the certificates that sign the NATS servers'; the system's by default")
	fs.StringVar(&n.access.Cert, "nats-cert", "", "`file` with our certificate for NATS")
	fs.StringVar(&n.access.Key, "nats-key", "", "`file` with the key of our certificate for NATS")
	fs.IntVar(&n.replicas, "nats-replicas", 0, "`number` of servers that keep each message: 1, 3 or 5; 0: as it is, 1 for a new stream")
}

func (n *natsConfig) check(needed bool) (faults []error) {
	urls := list(n.urls)
	if needed && len(urls) == 0 {
		faults = append(faults, errors.New("nats: needed by the roles api, gateway, admitter and relay"))
	}
	for _, u := range urls {
		if !isURL(u, "nats", "tls") {
			faults = append(faults, errors.New("nats: not a nats:// or tls:// address, or several separated by commas"))
			break
		}
	}
	n.urls, n.access.Password = strings.Join(urls, ","), secret.New(n.password)
	if err := n.access.Check(); err != nil {
		faults = append(faults, fmt.Errorf("nats-creds, nats-user, nats-password, nats-ca, nats-cert, nats-key: %w", err))
	}
	switch n.replicas {
	case 0, 1, 3, 5:
	default:
		faults = append(faults, fmt.Errorf("nats-replicas: %d is none of 1, 3, 5", n.replicas))
	}
	return faults
}

func (n *natsConfig) options(log *slog.Logger) stream.Options {
	return stream.Options{URL: n.urls, Access: n.access, Replicas: n.replicas, Patience: natsPatience, Logger: log}
}
