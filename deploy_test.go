package main

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
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"plateia/realtime/natsd"
)

// The configuration of deploy/nats, with its environment, makes three servers one supercluster over TLS: each
// region has a stream of its own, and gathers those of the others.
func TestDeployedNATSIsASupercluster(t *testing.T) {
	regions := []string{"eu-west", "us-east", "sa-east"}
	dir := t.TempDir()
	roots := certificates(t, dir)
	hosts := map[string]string{} // of the configuration, here
	for _, r := range regions {
		for _, port := range []string{"4222", "6222", "7222"} {
			addr, err := natsd.FreeAddr()
			if err != nil {
				t.Fatal(err)
			}
			hosts["nats-1."+r+".internal:"+port] = addr
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, r := range regions {
		deployedEnv(t, dir, r, hosts)
		s, err := natsd.StartFile(ctx, "deploy/nats/region.conf", nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Stop(context.Background()) })
	}
	streams := map[string]jetstream.JetStream{}
	for _, r := range regions {
		conn, err := nats.Connect("tls://"+hosts["nats-1."+r+".internal:4222"], nats.Secure(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}), nats.UserInfo("plateia", "sesame"), nats.Timeout(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		if streams[r], err = jetstream.New(conn); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := nats.Connect("tls://"+hosts["nats-1.eu-west.internal:4222"], nats.Secure(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12})); err == nil {
		t.Error("a client without a password is let in")
	}
	var sources []*jetstream.StreamSource
	for _, r := range regions {
		out := jetstream.StreamConfig{Name: "OUT_" + r, Subjects: []string{"seat." + r + ".*"}, Storage: jetstream.FileStorage}
		within(t, 2*time.Minute, "the servers agree on a leader and make "+out.Name, func() bool {
			look, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			s, err := streams[r].CreateStream(look, out)
			return err == nil && s.CachedInfo().Cluster.Name == r // where it was asked for, not anywhere
		})
		sources = append(sources, &jetstream.StreamSource{Name: out.Name})
	}
	var gathered jetstream.Stream
	within(t, 2*time.Minute, "one region gathers", func() (ok bool) {
		look, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		var err error
		gathered, err = streams["sa-east"].CreateStream(look, jetstream.StreamConfig{Name: "ALL_sa-east", Sources: sources})
		return err == nil
	})
	for _, r := range regions {
		within(t, 2*time.Minute, "a message is taken in "+r, func() bool {
			look, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			_, err := streams[r].Publish(look, "seat."+r+".x", []byte(r), jetstream.WithMsgID(r))
			return err == nil
		})
	}
	within(t, 2*time.Minute, "one region has what all published", func() bool {
		info, err := gathered.Info(ctx)
		return err == nil && info.State.Msgs == 3
	})
}

// deployedEnv is what deploy/nats/start.sh sets, with the addresses of this machine.
func deployedEnv(t *testing.T, dir, region string, hosts map[string]string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "deploy/nats/start.sh", region, "1", "env")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "NATS_SERVERS=1", "NATS_STORE=" + filepath.Join(dir, region), "NATS_MONITOR=127.0.0.1:-1",
		"NATS_CERT=" + filepath.Join(dir, "cert.pem"), "NATS_KEY=" + filepath.Join(dir, "key.pem"), "NATS_CA=" + filepath.Join(dir, "cert.pem"),
	}
	for flag, port := range map[string]string{"NATS_LISTEN": "4222", "NATS_CLUSTER_LISTEN": "6222", "NATS_GATEWAY_LISTEN": "7222"} {
		cmd.Env = append(cmd.Env, flag+"="+hosts["nats-1."+region+".internal:"+port])
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("NATS_PASSWORD", "sesame")
	t.Setenv("NATS_SYS_PASSWORD", "open")
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		for there, here := range hosts {
			value = strings.ReplaceAll(value, there, here)
		}
		if strings.HasPrefix(name, "NATS_") {
			t.Setenv(name, value)
		}
	}
}

// certificates makes one that is its own authority, for 127.0.0.1.
func certificates(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if name == "cert.pem" && !roots.AppendCertsFromPEM(pem.EncodeToMemory(block)) {
			t.Fatal("no certificate")
		}
	}
	return roots
}

// A node is started with its place and the addresses of nodes in every region.
func TestDeployedCockroachKnowsItsPlace(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "deploy/cockroach/start.sh", "us-east", "b", "2")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "CRDB_BIN=echo"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--locality=region=us-east,zone=b", "crdb-1.eu-west.internal:26357", "crdb-2.sa-east.internal:26357", "--advertise-sql-addr=crdb-2.us-east.internal:26257"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	if n := strings.Count(string(out), "crdb-"); n != 8 { // six to join, and itself twice
		t.Errorf("%d addresses in %s", n, out)
	}
}
