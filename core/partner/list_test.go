package partner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"plateia/core/fault"
	"plateia/core/id"
)

func TestWhoMayShowWhat(t *testing.T) {
	one, two := id.New(), id.New()
	l := NewList("7", []Grant{
		{Origins: []Origin{"https://all.example"}, AllEvents: true},
		{Origins: []Origin{"https://one.example", "https://both.example"}, Events: []id.ID{one}},
		{Origins: []Origin{"https://both.example"}, Events: []id.ID{one, two}},
		{Origins: []Origin{"https://none.example"}},
	}, []Origin{"https://configured.example"})
	for event, want := range map[id.ID]string{
		one:      "[https://all.example https://both.example https://configured.example https://one.example]",
		two:      "[https://all.example https://both.example https://configured.example]",
		id.New(): "[https://all.example https://configured.example]",
		{}:       "[https://all.example https://configured.example]",
	} {
		if got := fmt.Sprint(l.Origins(event)); got != want {
			t.Errorf("%s: %s, want %s", event, got, want)
		}
		for _, o := range l.Origins(event) {
			if !l.Allows(event, string(o)) || !l.Knows(string(o)) {
				t.Errorf("%s: %s is listed and not allowed", event, o)
			}
		}
	}
	for _, origin := range []string{"", "null", "https://ONE.example", "https://one.example:443", "https://one.example/", "http://one.example", "https://one.example.evil.example", "https://none.example", "https://evil.example"} {
		if l.Allows(one, origin) || l.Knows(origin) {
			t.Errorf("%q may show an event", origin)
		}
	}
	if l.Allows(two, "https://one.example") || !l.Knows("https://one.example") {
		t.Error("an origin of one event shows another, or is not known at all")
	}
}

func TestBoundsOfAllTogether(t *testing.T) {
	event := id.New()
	some := func(n, origins int, p Partner) []Partner {
		out := make([]Partner, n)
		for i := range out {
			out[i] = p
			for j := range origins {
				out[i].Origins = append(out[i].Origins, Origin(fmt.Sprintf("https://p%d-%d.example", i, j)))
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		all  []Partner
		want fault.Code
	}{
		"as many as may be":     {some(MaxPartners, 1, Partner{}), ""},
		"one partner more":      {some(MaxPartners+1, 1, Partner{}), fault.LimitExceeded},
		"origins for all":       {some(80, 1, Partner{AllEvents: true}), ""},
		"one more for all":      {some(81, 1, Partner{AllEvents: true}), fault.LimitExceeded},
		"origins of an event":   {some(4, 20, Partner{Events: []id.ID{event}}), ""},
		"more of an event":      {some(5, 20, Partner{Events: []id.ID{event}}), fault.LimitExceeded},
		"suspended do not tell": {some(81, 1, Partner{AllEvents: true, Suspended: true}), ""},
		"listed events":         {some(51, 1, Partner{Suspended: true, Events: make([]id.ID, 1000)}), fault.LimitExceeded},
	} {
		if err := CheckAll(c.all); (err == nil) != (c.want == "") || err != nil && fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a process knows is the last it could read, whatever the source does meanwhile.
func TestABookKeepsTheLastKnownList(t *testing.T) {
	asked, broken, version := []string{}, errors.New("the database is away"), ""
	var origins []Origin
	book := NewBook(func(_ context.Context, have string) (string, []Grant, bool, error) {
		asked = append(asked, have)
		switch version {
		case "":
			return "", nil, false, broken
		case have:
			return version, nil, true, nil
		}
		return version, []Grant{{Origins: origins, AllEvents: true}}, false, nil
	}, []Origin{"https://configured.example"})
	event := id.New()
	step := func(v string, list ...Origin) error {
		version, origins = v, list
		return book.Refresh(t.Context())
	}
	if err := step(""); err == nil || !book.Allows(event, "https://configured.example") || book.Allows(event, "https://a.example") {
		t.Errorf("nothing was ever read: %v", err)
	}
	if err := step("1", "https://a.example"); err != nil || !book.Allows(event, "https://a.example") || !book.Knows("https://configured.example") {
		t.Errorf("read: %v, %v", err, book.Origins(event))
	}
	if err := step(""); !errors.Is(err, broken) || !book.Allows(event, "https://a.example") {
		t.Errorf("away: %v, %v", err, book.Origins(event))
	}
	was := book.List()
	if err := step("1"); err != nil || book.List() != was {
		t.Errorf("unchanged: %v", err)
	}
	if err := step("2", "https://b.example"); err != nil || book.Allows(event, "https://a.example") || !book.Allows(event, "https://b.example") {
		t.Errorf("changed: %v, %v", err, book.Origins(event))
	}
	if got := fmt.Sprint(asked); got != "[  1 1 1]" {
		t.Errorf("asked for what is newer than %q", asked)
	}
}

func TestABookIsReadWhileItChanges(t *testing.T) {
	n := 0
	book := NewBook(func(context.Context, string) (string, []Grant, bool, error) {
		n++
		return fmt.Sprint(n), []Grant{{Origins: []Origin{"https://a.example"}, AllEvents: true}}, false, nil
	}, nil)
	_ = book.Refresh(t.Context())
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 2000 {
				if !book.Allows(id.ID{}, "https://a.example") {
					t.Error("missed a list")
					return
				}
			}
		})
	}
	for range 200 {
		_ = book.Refresh(t.Context())
	}
	wait.Wait()
}
