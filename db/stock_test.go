package db_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/db"
	"plateia/db/dbtest"
)

func TestStockCountsWhatIsTouched(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	e := onSale(t, c, 2, 5)
	exec(t, d, "update event_stock set counted_at = now() - interval '1 minute'",
		"update seat set status = 2, owner = gen_random_uuid() where ordinal < 8", "update seat set status = 3 where ordinal = 9")
	s := db.NewStock(d, nil, quiet)
	if err := s.Count(t.Context(), e.ID); err != nil {
		t.Fatal(err)
	}
	page, err := c.List(t.Context(), event.Query{Limit: 1})
	if err != nil || page.Events[0].Free != 1 {
		t.Fatalf("listed with %d free, %v", page.Events[0].Free, err)
	}
	if word := page.Events[0].Availability(time.Now()); word != event.Available {
		t.Errorf("1 of 10 free is %s", word)
	}
	exec(t, d, "update seat set status = 2, owner = gen_random_uuid() where ordinal = 8")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	s.Touch(e.ID)
	for ctx.Err() == nil {
		if page, err = c.List(ctx, event.Query{Limit: 1}); err == nil && page.Events[0].Free == 0 {
			cancel()
		}
		time.Sleep(50 * time.Millisecond)
	}
	<-done
	if page.Events[0].Availability(time.Now()) != event.SoldOut {
		t.Errorf("still %d free", page.Events[0].Free)
	}
}

// Of many listed events only those are counted that changed: while the process ran, or, as the outbox tells, while
// none did; and those that are in memory cost no look at a seat.
func TestStockCountsOnlyWhatChanged(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	warm, cold, missed, quietOne := onSale(t, c, 2, 5), onSale(t, c, 2, 5), onSale(t, c, 2, 5), onSale(t, c, 2, 5)
	exec(t, d, "update event_stock set available = 77, counted_at = now() - interval '1 minute'",
		"update seat set status = 2, owner = gen_random_uuid() where ordinal < 8", "delete from seat where event_id = '"+warm.ID.String()+"'",
		fmt.Sprintf("insert into outbox (outbox_id, event_id, kind, payload, created_at) values (gen_random_uuid(), '%s', 1, '', now() - interval '30 seconds')", missed.ID),
		fmt.Sprintf("insert into outbox (outbox_id, event_id, kind, payload, created_at) values (gen_random_uuid(), '%s', 1, '', now() - interval '5 minutes')", quietOne.ID))
	s := db.NewStock(d, func(event id.ID) (db.Counts, bool) {
		return db.Counts{3, 4, 2, 1}, event == warm.ID
	}, quiet)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	s.Touch(warm.ID)
	s.Touch(cold.ID)
	want := map[id.ID]int{warm.ID: 3, cold.ID: 2, missed.ID: 2, quietOne.ID: 77}
	got := map[id.ID]int{}
	for fmt.Sprint(got) != fmt.Sprint(want) && ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
		page, err := c.ListNow(t.Context(), event.Query{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			got[e.ID] = e.Free
		}
	}
	cancel()
	<-done
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("free %v, want %v", got, want)
	}
}
