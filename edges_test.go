package main

import (
	"slices"
	"testing"
)

func TestNamesOfTheEdge(t *testing.T) {
	for name, c := range map[string]struct {
		config  config
		hosts   []string
		origins []string
		secure  bool
	}{
		"serve, nothing said": {config{addr: "0.0.0.0:80"}, nil, nil, false},
		"serve":               {config{addr: "0.0.0.0:80", hosts: []string{"a.example"}, publicURL: "https://tickets.example/"}, []string{"a.example", "tickets.example"}, []string{"https://tickets.example"}, true},
		"dev":                 {config{addr: "127.0.0.1:8080", dev: true}, []string{"127.0.0.1"}, nil, false},
		"dev, public":         {config{addr: "127.0.0.1:8080", dev: true, publicURL: "http://me.example:81"}, []string{"me.example:81", "127.0.0.1"}, []string{"http://me.example:81"}, false},
	} {
		hosts, origins, secure := c.config.names()
		if !slices.Equal(hosts, c.hosts) || !slices.Equal(origins, c.origins) || secure != c.secure {
			t.Errorf("%s: %q %q %v", name, hosts, origins, secure)
		}
	}
}
