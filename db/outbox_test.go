package db_test

import (
	"fmt"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/db/dbtest"
)

// Recent pages through batches, marked or not, and leaves out old ones and tombstones.
func TestOutboxRecent(t *testing.T) {
	d := dbtest.New(t)
	add := func(kind int, age time.Duration, published bool) id.ID {
		batch := id.New()
		mark := "null"
		if published {
			mark = "now()"
		}
		_, err := d.Pool().Exec(t.Context(), fmt.Sprintf(`insert into outbox (outbox_id, event_id, kind, payload, created_at, published_at)
			values ($1, $2, $3, 'x', now() - $4::interval, %s)`, mark), [16]byte(batch), [16]byte(id.New()), kind, age)
		if err != nil {
			t.Fatal(err)
		}
		return batch
	}
	add(1, time.Hour, true)
	want := []id.ID{add(1, 30*time.Second, true), add(1, 20*time.Second, false), add(1, 10*time.Second, true)}
	add(2, 5*time.Second, false)
	var got []id.ID
	var last inventory.OutboxRecord
	for range 4 {
		page, err := d.Outbox().Recent(t.Context(), time.Minute, last, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page {
			got, last = append(got, r.ID), r
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
