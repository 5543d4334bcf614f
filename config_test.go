package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func testEnv(vars map[string]string) env {
	return env{io.Discard, io.Discard, func(name string) string { return vars[name] }}
}

func containsAll(s string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(s, part) {
			return false
		}
	}
	return true
}

func TestConfigListsEveryFault(t *testing.T) {
	var c config
	err := c.parse(testEnv(nil), "serve", []string{
		"--addr", "nowhere", "--roles", "api,juggler", "--log", "loud", "--origins", "ftp://x",
		"--dev-secret", "short", "--public-url", "example", "--stop-timeout", "0s", "--regions", "eu,EU", "stray",
	})
	var usage errUsage
	if !errors.As(err, &usage) {
		t.Fatalf("got %v, want a usage error", err)
	}
	for _, part := range []string{"addr:", "juggler", "log:", "origins:", "dev-secret:", "public-url:", "stop-timeout:", "regions:", "stray", "database:", "nats:", "provider-url"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the faults do not name %q:\n%v", part, err)
		}
	}
	if strings.Contains(err.Error(), "short") {
		t.Error("a secret is repeated in the error")
	}
}

func TestConfigPrecedence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plateia.conf")
	if err := os.WriteFile(file, []byte("addr 127.0.0.1:1\ndata from-file\nlog warn\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLATEIA_DATA", "from-env")
	c := config{dev: true}
	err := c.parse(testEnv(map[string]string{"DATABASE_URL": "postgres://db.example/plateia"}), "dev", []string{"--config", file, "--addr", "127.0.0.1:2"})
	if err != nil {
		t.Fatal(err)
	}
	if c.addr != "127.0.0.1:2" || c.data != "from-env" || c.logLevel.String() != "WARN" || c.databaseURL != "postgres://db.example/plateia" {
		t.Errorf("got addr %s, data %s, log %s, database %s", c.addr, c.data, c.logLevel, c.databaseURL)
	}
}

func TestConfigHelp(t *testing.T) {
	c := config{dev: true}
	if err := c.parse(testEnv(nil), "dev", []string{"--help"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got %v", err)
	}
}

func TestProvidersFile(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "providers.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const one = `{"name":"a","url":"http://a.example","secret":"sixteen-characters","webhookSecrets":["new-webhook-secret","old-webhook-secret"]}`
	serve := func(file string) (config, error) {
		var c config
		err := c.parse(testEnv(nil), "serve", []string{"--database", "postgres://x/y", "--nats", "nats://x", "--providers", file})
		return c, err
	}
	c, err := serve(write("[" + one + "," + strings.ReplaceAll(one, `"a"`, `"b"`) + "]"))
	if err != nil || len(c.providers) != 2 || c.providers[1].name != "b" || len(c.providers[0].webhooks) != 2 {
		t.Errorf("%+v, %v", c.providers, err)
	}
	for what, text := range map[string]string{
		"twice the same name": "[" + one + "," + one + "]", "none": "[]", "not JSON": "{", "short secret": strings.ReplaceAll("["+one+"]", "sixteen-characters", "abc"),
	} {
		if _, err := serve(write(text)); err == nil || strings.Contains(err.Error(), "abc") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestConfigReadsUpstreams(t *testing.T) {
	var c config
	err := c.parse(testEnv(nil), "serve", []string{"--roles", "edge", "--gateway-url", "http://g.example", "--api-url", "eu=http://a.example:1/x=y, us=https://b.example"})
	if err != nil || len(c.apis) != 2 || c.apis[0].Region != "eu" || c.apis[0].URL.Host != "a.example:1" || c.apis[1].Region != "us" || c.gateways[0].Region != "" {
		t.Errorf("%v %+v %+v", err, c.apis, c.gateways)
	}
	err = c.parse(testEnv(nil), "serve", []string{"--roles", "edge", "--gateway-url", "eu=ftp://g.example", "--api-url", "eu=http://a.example"})
	if err == nil || !containsAll(err.Error(), "gateway-url", "ftp://g.example") {
		t.Errorf("%v", err)
	}
}
