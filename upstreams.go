package main

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"plateia/edge/local"
	"plateia/realtime/stream"
)

// parseUpstreams reads where a role runs: URLs separated by commas, the preferred one
// first, each with the name of its region before it when there are several:
// "eu-west=http://10.0.0.1:8081,us-east=http://10.1.0.1:8081".
func parseUpstreams(flag, text string) (out []local.Upstream, faults []error) {
	for _, part := range list(text) {
		var up local.Upstream
		if name, rest, named := strings.Cut(part, "="); named && !strings.Contains(name, ":") {
			up.Region, part = name, rest
		}
		if !isURL(part, "http", "https") {
			faults = append(faults, fmt.Errorf("%s: %q is not an http address", flag, part))
			continue
		}
		up.URL, _ = url.Parse(part) // isURL has
		out = append(out, up)
	}
	return out, faults
}

// parseNATSRegions reads regions with a stream of their own: "eu-west=eu,us-east=us", or without domains.
func parseNATSRegions(text, here string) (out []stream.Region, err error) {
	for _, part := range list(text) {
		name, domain, _ := strings.Cut(part, "=")
		out = append(out, stream.Region{Name: name, Domain: domain})
	}
	if len(out) > 0 && !slices.ContainsFunc(out, func(r stream.Region) bool { return r.Name == here }) {
		return nil, fmt.Errorf("nats-regions: the region of this process (--region %q) is not among them", here)
	}
	return out, nil
}

// upstreams is where the edge finds a role: its own listener first, then the addresses given.
func (h *house) upstreams(given []local.Upstream, own net.Listener) []local.Upstream {
	if own == nil {
		return given
	}
	here := local.Upstream{Region: h.cfg.region, URL: &url.URL{Scheme: "http", Host: own.Addr().String()}}
	return append([]local.Upstream{here}, given...)
}
