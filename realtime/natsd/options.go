package natsd

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"

	"plateia/core/secret"
)

// Options of a server.
type Options struct {
	Dir      string // holds JetStream's files and is locked while the server runs
	Listen   string // "127.0.0.1:4222" for other processes of this machine; empty: only in-process connections
	MaxStore int64  // bytes on disk; 0: 2 GiB
	Logger   *slog.Logger

	SyncAlways bool // what is acknowledged is on the disk, also after a power loss; a batch is one sync

	Name   string // of the server, another one at each server of a cluster; empty: plateia
	Domain string // JetStream's; clusters that leaf nodes join need different ones
	Peers  *Peers // the cluster this server is one of; nil: it is alone
	Leaves Leaves // other clusters, such as those of other regions

	User     string // that clients must say, with Password; empty: anybody may connect
	Password secret.Text
	TLS      *tls.Config // for clients; nil: none
}

// Peers makes a server one of a cluster.
type Peers struct {
	Cluster string   // its name, the same at each server
	Listen  string   // where the other servers connect, "127.0.0.1:6222"
	Routes  []string // the Listen of each server of the cluster; its own may be among them
}

// Leaves connect clusters without making them one: subjects cross, while each
// keeps its own JetStream (see Options.Domain). One side listens, the other dials.
type Leaves struct {
	Listen string   // where servers of other clusters connect, "127.0.0.1:7422"; empty: none may
	Dial   []string // Listen addresses of the servers of one other cluster: each server keeps a connection to one of them
	// Deny are subjects that do not cross a dialled connection, either way.
	Deny []string
}

func serverOptions(o Options, store string) (*server.Options, error) {
	opts := &server.Options{
		ServerName: cmp.Or(o.Name, "plateia"), NoSigs: true, NoLog: o.Logger == nil, NoSystemAccount: false,
		JetStream: true, StoreDir: store, JetStreamMaxStore: cmp.Or(o.MaxStore, 2<<30), JetStreamMaxMemory: 64 << 20, JetStreamDomain: o.Domain,
		SyncInterval: SyncInterval, SyncAlways: o.SyncAlways, DontListen: o.Listen == "",
		Username: o.User, Password: o.Password.Reveal(), TLSConfig: o.TLS, TLS: o.TLS != nil,
	}
	if o.TLS != nil {
		opts.TLSTimeout = 5 // seconds
	}
	var err error
	if o.Listen != "" {
		if opts.Host, opts.Port, err = hostPort("listen", o.Listen); err != nil {
			return nil, err
		}
	}
	if o.Peers != nil {
		if err := o.Peers.apply(opts); err != nil {
			return nil, err
		}
	}
	return opts, o.Leaves.apply(opts)
}

func (p *Peers) apply(opts *server.Options) (err error) {
	opts.Cluster = server.ClusterOpts{
		Name: p.Cluster, ConnectRetries: 1 << 30, PoolSize: 1,
		NoAdvertise: true, // clients are told all addresses; those of the servers may lie behind something
	}
	if opts.Cluster.Host, opts.Cluster.Port, err = hostPort("peers", p.Listen); err != nil {
		return err
	}
	opts.Routes = addresses("nats-route", p.Routes)
	return nil
}

func (l Leaves) apply(opts *server.Options) (err error) {
	if l.Listen != "" {
		if opts.LeafNode.Host, opts.LeafNode.Port, err = hostPort("leaves", l.Listen); err != nil {
			return err
		}
		opts.LeafNode.NoAdvertise = true
	}
	if len(l.Dial) > 0 {
		opts.LeafNode.Remotes = []*server.RemoteLeafOpts{{
			URLs: addresses("nats-leaf", l.Dial), DenyImports: l.Deny, DenyExports: l.Deny,
		}}
	}
	return nil
}

func addresses(scheme string, hosts []string) []*url.URL {
	urls := make([]*url.URL, 0, len(hosts))
	for _, host := range hosts {
		urls = append(urls, &url.URL{Scheme: scheme, Host: host})
	}
	return urls
}

// hostPort splits an address; port 0 becomes one that the system chooses.
func hostPort(what, address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("natsd: %s address: %w", what, err)
	}
	if port, err = strconv.Atoi(text); err != nil {
		return "", 0, fmt.Errorf("natsd: %s port: %w", what, err)
	}
	return host, cmp.Or(port, server.RANDOM_PORT), nil
}
