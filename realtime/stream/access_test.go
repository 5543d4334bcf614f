package stream_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/secret"
	"plateia/realtime/natsd"
	"plateia/realtime/stream"
	"plateia/realtime/wire"
)

func serve(t *testing.T, o natsd.Options) string {
	t.Helper()
	o.Dir = t.TempDir()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	s, err := natsd.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	return s.URL()
}

// refused connects and returns why not; trying again would not help, so it must not take long.
func refused(t *testing.T, o stream.Options, code fault.Code, says string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := stream.Connect(ctx, o)
	if err == nil {
		c.Close()
	}
	if fault.CodeOf(err) != code || !strings.Contains(err.Error(), says) || ctx.Err() != nil {
		t.Errorf("got %v, want %s: %s", err, code, says)
	}
}

func accepted(t *testing.T, o stream.Options) *stream.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := stream.Connect(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestServerThatAsksForAPassword(t *testing.T) {
	url := serve(t, natsd.Options{User: "plateia", Password: secret.New("right")})
	accepted(t, stream.Options{URL: url, Access: stream.Access{User: "plateia", Password: secret.New("right")}})
	accepted(t, stream.Options{URL: strings.Replace(url, "://", "://plateia:right@", 1)})
	refused(t, stream.Options{URL: url}, fault.Forbidden, "refuses our user")
	refused(t, stream.Options{URL: url, Access: stream.Access{User: "plateia", Password: secret.New("wrong")}}, fault.Forbidden, "refuses our user")
}

func TestServerOverTLS(t *testing.T) {
	config, ca := certificate(t)
	url := serve(t, natsd.Options{TLS: config})
	url = strings.Replace(url, "nats://", "tls://", 1)
	if c := accepted(t, stream.Options{URL: url, Access: stream.Access{CA: ca}}); !c.Connected() {
		t.Error("not connected")
	}
	refused(t, stream.Options{URL: url}, fault.Forbidden, "certificate")
}

// certificate is a server's for 127.0.0.1, and the file of the authority that signed it: itself.
func certificate(t *testing.T) (server *tls.Config, authority string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	authority = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, authority
}

func TestAccessIsChecked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]stream.Access{
		"no such file":                {Credentials: file + "-not"},
		"a key without a certificate": {Key: file},
		"both":                        {Credentials: file, User: "plateia"},
		"a password of nobody":        {Password: secret.New("x")},
	} {
		if a.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := (stream.Access{Credentials: file, CA: file, Cert: file, Key: file}).Check(); err != nil {
		t.Error(err)
	}
}

func TestReplicasNeedACluster(t *testing.T) {
	url := serve(t, natsd.Options{})
	refused(t, stream.Options{URL: url, Replicas: 3}, fault.Invalid, "3 replicas need a cluster")
	accepted(t, stream.Options{URL: url})
	refused(t, stream.Options{URL: url, Replicas: 3}, fault.Invalid, "3 replicas need a cluster")
}

// A process starts also while the server is away: it sells, and the stream is there when the server is.
func TestStartWithoutServer(t *testing.T) {
	address, err := natsd.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	c := accepted(t, stream.Options{URL: "nats://" + address, Patience: 200 * time.Millisecond, CheckEvery: 100 * time.Millisecond})
	d := delta(id.New(), 1, 2)
	if err := c.Publish(t.Context(), d, wire.EncodeStream(d)); fault.CodeOf(err) != fault.Busy {
		t.Errorf("publishing without a server: %v", err)
	}
	if err := c.Follow(t.Context(), d.Event, nil, nil); err == nil {
		t.Error("followed without a server")
	}
	serve(t, natsd.Options{Listen: address})
	eventually(t, "acknowledged", func() bool { // there is no stream before the client has looked
		_ = c.Publish(t.Context(), d, wire.EncodeStream(d))
		return c.Stats().Acknowledged > 0
	})
	var start [2]uint64
	eventually(t, "followed", func() bool { // the client may ask, and be told no, while its stream is a moment old: whoever follows tries again
		f := follow(t, c, d.Event)
		select {
		case start = <-f.starts:
			return true
		case err := <-f.end:
			t.Logf("not followed yet: %v", err)
			return false
		}
	})
	if start[0] == 0 {
		t.Errorf("%v", start)
	}
}
