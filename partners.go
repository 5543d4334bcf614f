package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/partner"
	"plateia/db"
	"plateia/edge/embed"
	"plateia/edge/showcase"
	"plateia/web"
)

// openPartners keeps this process's copy of who may show what, from the database, or from the API where there is none. When it
// cannot be read the process starts all the same: then only the configured origins are known, until it can.
func (h *house) openPartners(ctx context.Context) error {
	h.partners = partner.NewBook(h.listOfPartners(), h.cfg.origins)
	if err := h.partners.Refresh(ctx); err != nil {
		h.log.Warn("the partners could not be read yet", "error", err)
	}
	return h.repeat(ctx, "reading of partners", partner.Every, h.partners.Refresh)
}

func (h *house) listOfPartners() partner.Source {
	if h.database != nil {
		return db.NewPartners(h.database).List
	}
	var apis []*url.URL
	for _, a := range h.cfg.apis {
		apis = append(apis, a.URL)
	}
	return embed.Follow(&http.Client{}, apis)
}

// parseOrigins reads the origins of a configuration.
func parseOrigins(all []string) ([]partner.Origin, error) {
	var faults []error
	var out []partner.Origin
	for _, text := range all {
		o, err := embed.ParseOrigin(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("origins: %s", fault.From(err).Text))
		}
		out = append(out, o)
	}
	if len(all) > partner.MaxConfigured {
		faults = append(faults, fmt.Errorf("origins: at most %d; further ones are partners in the database", partner.MaxConfigured))
	}
	return out, errors.Join(faults...)
}

// demoPartner is whose site `plateia dev` serves beside ours.
const demoPartner = "5ad10000-0000-4000-8000-00000000f001"

// listenPartner takes the port of the demo's partner: the one asked for, or the one after ours if it is free.
func (h *house) listenPartner(ctx context.Context, lc net.ListenConfig) error {
	addr := h.cfg.partnerAddr
	if addr == "" {
		addr = nextPort(h.publicListener, h.cfg.addr)
	}
	listener, err := lc.Listen(ctx, "tcp", addr)
	if err != nil && h.cfg.partnerAddr == "" {
		host, _, _ := net.SplitHostPort(addr)
		listener, err = lc.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return fmt.Errorf("the address of the demo's partner: %w", err)
	}
	h.partnerListener = listener
	h.life.started = append(h.life.started, part{name: "partner port", stop: func(context.Context) error {
		if err := listener.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}})
	return nil
}

// nextPort is the port after a listener's, or any one where that was not chosen either.
func nextPort(l net.Listener, asked string) string {
	host, port, _ := net.SplitHostPort(asked)
	n := l.Addr().(*net.TCPAddr).Port + 1
	if port == "0" || n > 65535 {
		n = 0
	}
	return net.JoinHostPort(host, strconv.Itoa(n))
}

// showcaseURL is by name where ours is by number: for a browser that is another site, not only another origin, as a partner's is.
func showcaseURL(l net.Listener) string {
	return "http://localhost:" + strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// seedPartner makes the demo's partner one of the data, with the port it has today.
func seedPartner(ctx context.Context, partners *db.Partners, l net.Listener) error {
	var origins []partner.Origin
	for _, text := range []string{address(l), showcaseURL(l)} {
		o, err := partner.ParseOrigin(text)
		if err != nil {
			continue // an address of a network that nobody's page may come from: by name it is reached all the same
		}
		origins = append(origins, o)
	}
	which := mustID(demoPartner)
	was, err := partners.Partner(ctx, which)
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	_, err = partners.Act(ctx, partner.Order{
		Partner: partner.Partner{ID: which, Version: was.Version, Name: "Casa Aurora (demo)", Origins: origins, AllEvents: true},
		Who:     "plateia dev", Why: "the demo's partner has a port of its own",
	})
	return err
}

// openShowcase serves the demo's partner.
func (h *house) openShowcase(ctx context.Context) error {
	event, _ := id.Parse(demoStadium)
	server := &http.Server{
		Handler:           showcase.New(web.Partner(), h.url(), event),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
	}
	h.log.Info("a partner's site with our map", "url", showcaseURL(h.partnerListener))
	return h.serve(ctx, "partner's site", func() error { return server.Serve(h.partnerListener) }, server.Shutdown)
}
