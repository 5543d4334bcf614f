package sandbox

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Ledger returns the provider's entries after a cursor ("" for the first), and
// the cursor behind them, "" at the end.
func (p *Provider) Ledger(ctx context.Context, cursor string) ([]Entry, string, error) {
	var page ledgerView
	err := p.do(ctx, call{method: http.MethodGet, path: "/v1/ledger?cursor=" + url.QueryEscape(cursor)}, &page)
	return page.Entries, page.Next, err
}

// WholeLedger returns all entries.
func (p *Provider) WholeLedger(ctx context.Context) ([]Entry, error) {
	var all []Entry
	for cursor := ""; ; {
		page, next, err := p.Ledger(ctx, cursor)
		if all = append(all, page...); err != nil || next == "" {
			return all, err
		}
		cursor = next
	}
}

// Disturb gives the server another script.
func (p *Provider) Disturb(ctx context.Context, s Script) error {
	return p.do(ctx, call{method: http.MethodPut, path: "/v1/chaos", body: s}, &chaosView{})
}

// Disturbed is the server's script and how often each fault has happened under it.
func (p *Provider) Disturbed(ctx context.Context) (Script, map[Fault]int, error) {
	var v chaosView
	err := p.do(ctx, call{method: http.MethodGet, path: "/v1/chaos"}, &v)
	return v.Script, v.Done, err
}

// TakeDown lets the server answer nothing for a while; zero ends that.
func (p *Provider) TakeDown(ctx context.Context, d time.Duration) error {
	return p.do(ctx, call{method: http.MethodPost, path: "/v1/outage", body: outageBody{ForMS: d.Milliseconds()}}, &outageBody{})
}
