package stream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/fault"
	"plateia/core/secret"
)

// Access is how a client shows a server who it is, and knows who the server is.
type Access struct {
	User        string
	Password    secret.Text
	Credentials string // file with a JWT and its seed (.creds), instead of user and password
	CA          string // file with certificates that servers' are signed by; empty: the system's
	Cert, Key   string // files of the client's own certificate, where servers ask for one
}

// Check reports the first file that cannot be read and what does not go together.
func (a Access) Check() error {
	if (a.Cert == "") != (a.Key == "") {
		return errors.New("a certificate needs its key, and a key its certificate")
	}
	if a.Credentials != "" && a.User != "" {
		return errors.New("either a credentials file or a user")
	}
	if a.User == "" && a.Password.Reveal() != "" {
		return errors.New("a password needs its user")
	}
	for _, file := range []string{a.Credentials, a.CA, a.Cert, a.Key} {
		if file == "" {
			continue
		}
		f, err := os.Open(file) //nolint:gosec // the operator names it
		if err != nil {
			return err
		}
		_ = f.Close()
	}
	return nil
}

func (a Access) options() (all []nats.Option) {
	if a.User != "" {
		all = append(all, nats.UserInfo(a.User, a.Password.Reveal()))
	}
	if a.Credentials != "" {
		all = append(all, nats.UserCredentials(a.Credentials))
	}
	if a.CA != "" {
		all = append(all, nats.RootCAs(a.CA))
	}
	if a.Cert != "" {
		all = append(all, nats.ClientCert(a.Cert, a.Key))
	}
	return all
}

// firstLook waits for the stream. An error is final.
func (c *Client) firstLook(ctx context.Context) error {
	patience := make(<-chan time.Time)
	if c.o.Patience > 0 {
		patience = time.After(c.o.Patience)
	}
	warned := time.Time{}
	for {
		err := c.look(ctx, c.o.NewIncarnation)
		if err == nil {
			return c.replicate(ctx)
		}
		if final := c.hopeless(err); final != nil {
			return final
		}
		if time.Since(warned) > 5*time.Second {
			warned = time.Now()
			c.log.Warn("stream: waiting for the message server", "servers", c.conn.Opts.Servers, "error", c.why(err))
		}
		select {
		case <-ctx.Done():
			return fault.Wrap(c.why(err), fault.Busy, "the seat stream is not there")
		case <-patience:
			return c.withoutServer(err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// withoutServer decides whether to go on when patience has ended: without a server
// seats are sold all the same, and the relay brings the changes when it is there.
// A server that answers and still cannot give us a stream is its operator's fault.
func (c *Client) withoutServer(err error) error {
	var api *jetstream.APIError
	if c.conn.IsConnected() && errors.As(err, &api) && api.Code < 500 {
		return fault.Wrap(err, fault.Invalid, "the message server refuses the seat stream: %s", api.Description)
	}
	c.blind.Store(true)
	c.log.Error("stream: going on without the message server: live maps follow the database until it is there", "error", c.why(err))
	return nil
}

// why is the reason behind an error that only says that there is no connection.
func (c *Client) why(err error) error {
	if last := c.conn.LastError(); last != nil && !c.conn.IsConnected() {
		return fmt.Errorf("%w: %w", err, last)
	}
	return err
}

const (
	notClustered   = 10074 // replicas asked of a server that is alone
	noPlaceForMany = 10005 // replicas asked of a cluster with fewer servers
)

// hopeless returns what trying again cannot cure.
func (c *Client) hopeless(err error) error {
	var api *jetstream.APIError
	var last error // what a connection failed of
	if !c.conn.IsConnected() {
		last = c.conn.LastError()
	}
	switch {
	case errors.Is(last, nats.ErrAuthorization), errors.Is(last, nats.ErrAuthExpired), errors.Is(last, nats.ErrAuthRevoked):
		return fault.Wrap(last, fault.Forbidden, "the message server refuses our user, password or credentials")
	case isCertificate(last):
		return fault.Wrap(last, fault.Forbidden, "the message server's certificate, or ours, is not accepted: %v", last)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fault.Wrap(err, fault.Invalid, "the message server has no JetStream, or our account may not use it")
	case errors.As(err, &api) && api.ErrorCode == notClustered:
		return fault.Wrap(err, fault.Invalid, "%d replicas need a cluster of as many message servers, and this one is alone", c.o.Replicas)
	case errors.As(err, &api) && api.ErrorCode == noPlaceForMany && c.conn.IsConnected():
		c.log.Warn("stream: the cluster has too few message servers just now", "replicas", c.o.Replicas)
	}
	return nil
}

// replicate changes how often an existing stream is kept, when that was asked for.
func (c *Client) replicate(ctx context.Context) error {
	names := []string{c.o.Name}
	if c.o.Region != "" {
		names = append(names, c.o.outName(c.o.Region))
	}
	for _, name := range names {
		s, err := c.js.Stream(ctx, name)
		if err != nil {
			return nil //nolint:nilerr // it was there a moment ago; the next start will do it
		}
		config := s.CachedInfo().Config
		if c.o.Replicas == 0 || config.Replicas == c.o.Replicas {
			continue
		}
		c.log.Info("stream: another number of replicas", "stream", name, "was", config.Replicas, "is", c.o.Replicas)
		config.Replicas = c.o.Replicas
		if _, err := c.js.UpdateStream(ctx, config); err != nil {
			if final := c.hopeless(err); final != nil {
				return final
			}
			return fault.Wrap(err, fault.Invalid, "the stream %s cannot have %d replicas", name, c.o.Replicas)
		}
	}
	return nil
}

// isCertificate reports whether a connection failed because one side does not trust the other.
func isCertificate(err error) bool {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var verification *tls.CertificateVerificationError
	return errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &host) || errors.As(err, &verification)
}
