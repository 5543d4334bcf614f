package db_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/partner"
	"plateia/db"
	"plateia/db/dbtest"
)

// venue is an order for a partner of that name with one origin.
func venue(name, origin string) partner.Order {
	return partner.Order{
		Partner: partner.Partner{ID: id.New(), Name: name, Origins: []partner.Origin{partner.Origin(origin)}, AllEvents: true},
		Who:     "Ana", Why: "contract 12",
	}
}

func TestPartnersAreChangedWithWhoAndWhy(t *testing.T) {
	s := db.NewPartners(dbtest.New(t))
	ctx := t.Context()
	o := venue("Teatro Ção 山田", "https://b.example")
	o.Origins = append(o.Origins, "https://a.example", "https://b.example")
	added, err := s.Act(ctx, o)
	if err != nil || added.Version != 1 || fmt.Sprint(added.Origins) != "[https://a.example https://b.example]" {
		t.Fatalf("%+v, %v", added, err)
	}
	if again, err := s.Act(ctx, o); err != nil || again.Version != 1 { // its answer was lost: it comes once more
		t.Errorf("repeated: %+v, %v", again, err)
	}
	change := partner.Order{Partner: added, Who: "Bea", Why: "late with the money"}
	change.Suspended = true
	changed, err := s.Act(ctx, change)
	if err != nil || changed.Version != 2 || !changed.Suspended || !changed.CreatedAt.Equal(added.CreatedAt) {
		t.Fatalf("%+v, %v", changed, err)
	}
	stale := change
	stale.Name = "another"
	if _, err := s.Act(ctx, stale); fault.CodeOf(err) != fault.EventState || fault.From(err).Details["version"] != int64(2) {
		t.Errorf("a change of what somebody has changed: %v", err)
	}
	kept, err := s.Partner(ctx, o.ID)
	if err != nil || fmt.Sprint(kept) != fmt.Sprint(changed) {
		t.Errorf("kept %+v, %v, want %+v", kept, err, changed)
	}
	if _, err := s.Act(ctx, partner.Order{Partner: changed, Remove: true, Who: "Bea", Why: "over"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Partner(ctx, o.ID); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("removed: %v", err)
	}
	actions, err := s.Actions(ctx, 0, 10)
	if err != nil || len(actions) != 3 {
		t.Fatalf("%+v, %v", actions, err)
	}
	for i, want := range []string{"remove Bea over", "change Bea late with the money", "add Ana contract 12"} {
		if a := actions[i]; fmt.Sprint(a.Verb, " ", a.Who, " ", a.Why) != want || a.Seq != int64(3-i) || a.Partner != o.ID || a.At.IsZero() {
			t.Errorf("action %d: %+v", i, a)
		}
	}
	if a := actions[1]; !strings.Contains(a.Before, `"suspended":false`) || !strings.Contains(a.After, `"suspended":true`) || actions[0].After != "" || actions[2].Before != "" {
		t.Errorf("%+v", actions)
	}
	if older, err := s.Actions(ctx, 3, 1); err != nil || len(older) != 1 || older[0].Seq != 2 {
		t.Errorf("%+v, %v", older, err)
	}
}

func TestWhatIsNoPartnerIsRefused(t *testing.T) {
	d := dbtest.New(t)
	s := db.NewPartners(d)
	ctx := t.Context()
	first, err := s.Act(ctx, venue("Arena", "https://arena.example"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*partner.Order)
		want   fault.Code
	}{
		"no name":             {func(o *partner.Order) { o.Name = "" }, fault.Invalid},
		"a name of another":   {func(o *partner.Order) { o.Name = "ARENA" }, fault.Invalid},
		"no origin":           {func(o *partner.Order) { o.Origins = nil }, fault.Invalid},
		"nobody":              {func(o *partner.Order) { o.Who = "" }, fault.Invalid},
		"for nothing":         {func(o *partner.Order) { o.Why = "" }, fault.Invalid},
		"all and some events": {func(o *partner.Order) { o.Events = []id.ID{id.New()} }, fault.Invalid},
		"an unknown event":    {func(o *partner.Order) { o.AllEvents, o.Events = false, []id.ID{id.New()} }, fault.Invalid},
		"a version of none":   {func(o *partner.Order) { o.Version = 1 }, fault.NotFound},
		"removal of none":     {func(o *partner.Order) { o.Remove = true }, fault.NotFound},
		"an id of another":    {func(o *partner.Order) { o.ID = first.ID }, fault.EventState},
		"too many origins": {func(o *partner.Order) {
			for i := range partner.MaxOrigins {
				o.Origins = append(o.Origins, partner.Origin(fmt.Sprintf("https://o%d.example", i)))
			}
		}, fault.Invalid},
	} {
		o := venue("Theatre", "https://theatre.example")
		c.change(&o)
		if _, err := s.Act(ctx, o); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	all, err := s.All(ctx)
	if err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if actions, err := s.Actions(ctx, 0, 10); err != nil || len(actions) != 1 {
		t.Errorf("refused orders are in the audit: %+v, %v", actions, err)
	}
}

// Orders of one moment take turns: none is lost, none has another's number, and a bound that each alone would keep holds for all.
func TestPartnersOfOneMoment(t *testing.T) {
	s := db.NewPartners(dbtest.New(t))
	var wait sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		wait.Go(func() {
			o := venue(fmt.Sprint("partner ", i), fmt.Sprintf("https://p%d.example", i))
			for n := range 15 { // 6 × 16 origins for all events: five partners are at the bound of 80
				o.Origins = append(o.Origins, partner.Origin(fmt.Sprintf("https://p%d-%d.example", i, n)))
			}
			_, errs[i] = s.Act(t.Context(), o)
		})
	}
	wait.Wait()
	refused := 0
	for _, err := range errs {
		if fault.CodeOf(err) == fault.LimitExceeded {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	all, err := s.All(t.Context())
	version, grants, _, listErr := s.List(t.Context(), "")
	if err != nil || listErr != nil || refused != 1 || len(all) != 5 || len(grants) != 5 || version != "5" {
		t.Errorf("%d refused, %d kept, version %s: %v, %v", refused, len(all), version, err, listErr)
	}
}

func TestTheListHasAVersion(t *testing.T) {
	s := db.NewPartners(dbtest.New(t))
	ctx := t.Context()
	version, grants, unchanged, err := s.List(ctx, "")
	if err != nil || version != "0" || len(grants) != 0 || unchanged {
		t.Fatalf("empty: %s %v %v %v", version, grants, unchanged, err)
	}
	if _, _, unchanged, err := s.List(ctx, version); err != nil || !unchanged {
		t.Errorf("%v %v", unchanged, err)
	}
	p, err := s.Act(ctx, venue("Arena", "https://arena.example"))
	if err != nil {
		t.Fatal(err)
	}
	version, grants, unchanged, err = s.List(ctx, version)
	if err != nil || version != "1" || unchanged || len(grants) != 1 || grants[0].Origins[0] != "https://arena.example" || !grants[0].AllEvents {
		t.Errorf("%s %v %v %v", version, grants, unchanged, err)
	}
	o := partner.Order{Partner: p, Who: "Ana", Why: "pause"}
	o.Suspended = true
	if _, err := s.Act(ctx, o); err != nil {
		t.Fatal(err)
	}
	if version, grants, _, err = s.List(ctx, version); err != nil || version != "2" || len(grants) != 0 {
		t.Errorf("suspended: %s %v %v", version, grants, err)
	}
}
