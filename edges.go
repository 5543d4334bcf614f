package main

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"plateia/edge/local"
	"plateia/edge/metrics"
	"plateia/web"
)

func (h *house) openEdge(ctx context.Context) error {
	options := local.Options{Assets: web.Assets(), Logger: h.log}
	options.Hosts, options.Origins, options.Secure = h.cfg.names()
	options.API = h.upstreams(h.cfg.apis, h.apiListener)
	options.Gateway = h.upstreams(h.cfg.gateways, h.gatewayListener)
	options.Partners = h.partners
	if h.tokens != nil {
		options.Tokens = h.tokens
	}
	if h.room != nil {
		options.Room = h.room
	}
	if h.mint != nil {
		options.Mint = h.mint
	}
	if h.cfg.dev {
		options.Ops = true
		options.Metrics = metrics.Handler(h.samples)
		options.Sandboxes, options.Inbox = h.sandboxURLs(), h.inbox
	}
	edge, err := local.New(options)
	if err != nil {
		return err
	}
	h.edge.Store(edge)
	if err := h.serve(ctx, "edge", func() error { return edge.Serve(h.publicListener) }, edge.Stop); err != nil || h.catalog == nil {
		return err
	}
	return h.repeat(ctx, "warming of the edge", openingEvery, func(ctx context.Context) error { return h.warmEdge(ctx, edge) })
}

// names are what fans call the edge: host names, origins of its pages, and whether they come by https alone. In development, where
// anybody can sign in as anybody, there is always a list, or a page whose name is made to point here could.
func (c *config) names() (hosts, origins []string, secure bool) {
	hosts = c.hosts
	if public, err := url.Parse(c.publicURL); err == nil && public.Host != "" {
		hosts, origins, secure = append(hosts, public.Host), []string{public.Scheme + "://" + public.Host}, public.Scheme == "https"
	}
	if host, _, err := net.SplitHostPort(c.addr); c.dev && err == nil && host != "" {
		hosts = append(hosts, host)
	}
	return hosts, origins, secure
}

// openConsole serves the console and /v1/ops at an internal address, by an edge of its own: the public one has neither.
func (h *house) openConsole(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", h.cfg.consoleAddr)
	if err != nil {
		return fmt.Errorf("the address of the console: %w", err)
	}
	edge, err := local.New(local.Options{
		Assets: web.Assets(), Logger: h.log, Ops: true,
		API: h.upstreams(h.cfg.apis, h.apiListener), Gateway: h.upstreams(h.cfg.gateways, h.gatewayListener),
	})
	if err != nil {
		return err
	}
	h.log.Info("console", "url", address(listener)+"/console")
	return h.serve(ctx, "console", func() error { return edge.Serve(listener) }, edge.Stop)
}

// warmEdge brings the documents of events that go on sale soon into the edge's memory, before a crowd asks for them together.
func (h *house) warmEdge(ctx context.Context, edge *local.Edge) error {
	soon, err := h.catalog.Opening(ctx, openingSoon, openingMost)
	for _, event := range soon {
		edge.Warm(ctx, local.DocumentsOf(event)...)
	}
	return err
}
