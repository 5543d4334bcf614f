package beacon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	callTimeout = 3 * time.Second // of one server
	maxAnswer   = 4 << 10         // bytes; a round has about 300
	pollEvery   = time.Second
)

// Servers are public addresses of drand's HTTP API, independent of each other.
func Servers() []string {
	return []string{"https://api.drand.sh", "https://api2.drand.sh", "https://api3.drand.sh", "https://drand.cloudflare.com"}
}

// ErrNone is returned by Await when no round came in the time that the rule gives.
var ErrNone = errors.New("beacon: no round in time")

// Client asks drand's HTTP servers in turn.
type Client struct {
	Chain   Chain
	Servers []string         // as from Servers
	HTTP    *http.Client     // nil: http.DefaultClient
	Now     func() time.Time // nil: time.Now
}

// Get returns a verified round from the first server that has it. Each is given three
// seconds; the error joins what every one of them did.
func (c *Client) Get(ctx context.Context, round uint64) (Round, error) {
	failed := []error{fmt.Errorf("beacon: nobody has round %d", round)}
	for _, server := range c.Servers {
		r, err := c.ask(ctx, server, round)
		if err == nil {
			return r, nil
		}
		failed = append(failed, err)
	}
	return Round{}, errors.Join(failed...)
}

func (c *Client) ask(ctx context.Context, server string, round uint64) (Round, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/%s/public/%d", server, c.Chain.Hash, round), nil)
	if err != nil {
		return Round{}, err
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return Round{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Round{}, fmt.Errorf("%s answers %s", server, resp.Status)
	}
	var r Round
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&r); err != nil {
		return Round{}, fmt.Errorf("%s: %w", server, err)
	}
	if r.Round != round {
		return Round{}, fmt.Errorf("%s answers with round %d", server, r.Round)
	}
	if err := c.Chain.Verify(r); err != nil {
		return Round{}, fmt.Errorf("%s: %w", server, err)
	}
	return r, nil
}

// Await waits for the round that counts by a rule when what it decides about was published at an
// instant. It returns the rounds that did not come in time too: they belong in the record.
// ErrNone: the draw has no beacon, and is not publicly verifiable.
func (c *Client) Await(ctx context.Context, rule Rule, published time.Time) (r Round, skipped []uint64, err error) {
	for _, round := range c.Chain.Rounds(rule, published) {
		if r, ok, err := c.waitFor(ctx, round, c.Chain.GivenUpAt(rule, round)); ok || err != nil {
			return r, skipped, err
		}
		skipped = append(skipped, round)
	}
	return Round{}, skipped, ErrNone
}

// waitFor asks for a round once a second from the instant it is due.
func (c *Client) waitFor(ctx context.Context, round uint64, until time.Time) (Round, bool, error) {
	wait := c.Chain.TimeOf(round).Sub(c.now())
	for {
		select {
		case <-ctx.Done():
			return Round{}, false, ctx.Err()
		case <-time.After(max(wait, 0)):
		}
		if r, err := c.Get(ctx, round); err == nil {
			return r, true, nil
		}
		if !c.now().Before(until) {
			return Round{}, false, nil
		}
		wait = pollEvery
	}
}

func (c *Client) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}
