package chaos_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
)

// fan buys again and again, as somebody new every few times.
type fan struct {
	*arena
	draw    *rand.Rand
	number  int
	wishes  int
	account id.ID
}

func (a *arena) fan(n int) *fan {
	return &fan{arena: a, number: n, draw: rand.New(rand.NewPCG(a.seed, uint64(n)+1))}
}

// run goes on until enough orders are placed.
func (f *fan) run(ctx context.Context) {
	for ctx.Err() == nil && f.placed.Load() < f.target.Load() {
		if f.wishes++; f.wishes%3 == 1 {
			f.account = id.New()
		}
		f.evening(ctx)
	}
}

func (f *fan) ask(event id.ID) ask {
	return ask{Event: event, Account: f.account, Key: fmt.Sprint(f.number, "-", f.wishes)}
}

// evening is one order, however it ends. A fan presses again until there is an answer.
func (f *fan) evening(ctx context.Context) {
	h := f.halls[f.draw.IntN(len(f.halls))]
	seats := f.choose(f.draw, h, 1+f.draw.IntN(3))
	if len(seats) == 0 {
		pause(ctx, 50*time.Millisecond)
		return
	}
	a := f.ask(h.event.ID)
	a.Seats = seats
	t, ok := f.until(ctx, "/buy", a)
	if !ok || t.Code != "" {
		f.report.count("refused " + string(t.Code))
		return
	}
	f.placed.Add(1)
	a.Order = t.Order
	f.pay(ctx, a)
}

// pay goes to the bank's page and does there what this fan does.
func (f *fan) pay(ctx context.Context, a ask) {
	switch p := f.draw.IntN(100); {
	case p < 76:
		f.press(ctx, a, "approve")
	case p < 82:
		f.press(ctx, a, "step", "confirm")
	case p < 87:
		f.press(ctx, a, "slow")
	case p < 93:
		if f.press(ctx, a, "decline") && f.becomes(ctx, a, "FAILED") {
			if t, ok := f.until(ctx, "/again", a); ok && t.Code == "" {
				f.press(ctx, a, "approve")
			}
		}
	case p < 95:
		f.press(ctx, a, "leave")
	case p < 97: // presses cancel while paying
		f.press(ctx, a, "slow")
		f.until(ctx, "/cancel", a)
		return
	default: // walks away
		f.report.count("walked away")
		return
	}
	if f.becomes(ctx, a, "CONFIRMED") && f.draw.IntN(12) == 0 {
		if t, ok := f.until(ctx, "/cancel", a); ok {
			f.report.count("gave tickets back " + string(t.Code))
		}
	}
}

// until asks until there is an answer that is not "try again".
func (f *fan) until(ctx context.Context, path string, a ask) (told, bool) {
	for try := 0; try < 200 && ctx.Err() == nil; try++ {
		t, err := f.process.ask(ctx, path, a)
		switch {
		case err != nil:
		case t.Code == fault.OutcomeUnknown, t.Code == fault.Busy, t.Code == fault.InProgress, t.Code == fault.Internal:
			f.report.count("asked again " + string(t.Code))
		default:
			return t, true
		}
		pause(ctx, 100*time.Millisecond)
	}
	return told{}, false
}

// becomes waits a moment for a status. Who does not see it goes home: what is late is found at the end.
func (f *fan) becomes(ctx context.Context, a ask, want string) bool {
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline) && ctx.Err() == nil; {
		if t, err := f.process.ask(ctx, "/order", a); err == nil && t.Status == want {
			return true
		} else if err == nil && t.Status != "PENDING_PAYMENT" && t.Status != "FAILED" {
			return false
		}
		pause(ctx, 60*time.Millisecond)
	}
	return false
}

// press waits for the bank's page and presses there; a page of errors is looked at again.
func (f *fan) press(ctx context.Context, a ask, decisions ...string) bool {
	var page string
	for deadline := time.Now().Add(15 * time.Second); page == ""; {
		if t, err := f.process.ask(ctx, "/order", a); err == nil && t.Attempt == "PENDING" {
			page = t.ActionURL
		} else if time.Now().After(deadline) || ctx.Err() != nil || err == nil && t.Status != "PENDING_PAYMENT" {
			f.report.count("never saw a page")
			return false
		}
		if page == "" {
			pause(ctx, 30*time.Millisecond)
		}
	}
	for _, d := range decisions {
		if err := f.submit(ctx, page, d); err != nil {
			f.report.count("page of errors")
		}
	}
	return true
}

func (f *fan) submit(ctx context.Context, page, decision string) error {
	form := strings.NewReader(url.Values{"decision": {decision}}.Encode())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.pageURL(page), form)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := f.browser.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode >= 400 {
		return fmt.Errorf("%s answered %s", page, resp.Status)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
