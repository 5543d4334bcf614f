package db_test

import (
	"slices"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/pick"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
)

// Blocks and channels through the real store: rows, audit and outbox in one transaction, what
// is shown to the public, and the sweeper that puts released seats on the map.
func TestSupplyIsStored(t *testing.T) {
	d := dbtest.New(t)
	catalog := db.NewCatalog(d)
	e := dbtest.OnSale(t, catalog, hallWithAll(t))
	store, err := db.OpenInventory(t.Context(), d, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	inv := inventory.New(store, catalog, nil, inventory.Options{Patience: time.Minute})
	t.Cleanup(func() { _ = inv.Stop(t.Context()) })
	by := inventory.By{Actor: "ana", Reason: "camera"}
	do := func(command inventory.Command, code fault.Code) inventory.Outcome {
		t.Helper()
		out, err := inv.Do(t.Context(), e.ID, command)
		if fault.CodeOf(err) != code {
			t.Fatalf("%T: %v, want %q", command, err, code)
		}
		return out
	}
	soon := time.Now().Add(time.Hour)
	channel, err := catalog.PutChannel(t.Context(), e.ID, "Fan club", &soon)
	if err != nil {
		t.Fatal(err)
	}
	do(inventory.Block{Seats: []seatmap.Ordinal{3}, By: by}, "")
	do(inventory.Block{Seats: []seatmap.Ordinal{3}, By: by}, "")
	do(inventory.Allocate{Seats: []seatmap.Ordinal{0, 1}, Channel: channel.ID, By: by}, "")
	fan := func(seats ...seatmap.Ordinal) inventory.PlaceHold {
		return inventory.PlaceHold{Hold: id.New(), Account: id.New(), Seats: seats}
	}
	do(fan(0, 2), fault.SeatBlocked)
	through := fan(0)
	through.Channel = channel.ID
	hold := do(through, "").Hold
	if got := shown(t, store, e.ID); !slices.Equal(got, []inventory.Status{1, 3, 0, 3, 0, 0, 0, 0}) {
		t.Errorf("shown %v", got)
	}
	var audited, changes int
	err = d.Pool().QueryRow(t.Context(), `select count(*), sum(array_length(ordinals, 1)) from seat_audit
		where actor = 'ana' and reason = 'camera' and action in ('block', 'allocate')`).Scan(&audited, &changes)
	if err != nil || audited != 2 || changes != 3 {
		t.Errorf("%d rows of audit about %d seats, %v", audited, changes, err)
	}
	past := time.Now().Add(-time.Second)
	if _, err := catalog.PutChannel(t.Context(), e.ID, "Fan club", &past); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second round finds nothing and takes the channel off the list
		if err := inv.SweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	do(inventory.Release{Account: hold.Account, Hold: hold.ID}, "")
	if got := shown(t, store, e.ID); !slices.Equal(got, []inventory.Status{0, 0, 0, 3, 0, 0, 0, 0}) {
		t.Errorf("after the release, shown %v", got)
	}
	var left int
	err = d.Pool().QueryRow(t.Context(), "select (select count(*) from channel_release) + (select count(*) from seat where channel <> 0)").Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d left in the channel, %v", left, err)
	}
	report, err := d.Verify(t.Context(), e.ID, db.VerifyOptions{Stopped: true})
	if err != nil || len(report.Violations) > 0 {
		t.Errorf("%v %v", report.Violations, err)
	}
}

func shown(t *testing.T, store *db.InventoryStore, event id.ID) []inventory.Status {
	t.Helper()
	out := make([]inventory.Status, 8)
	_, err := store.Seats(t.Context(), event, func(o seatmap.Ordinal, s inventory.Status, _ int64) { out[o] = s })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The longest list there may be, on the real store: the stand of a stadium comes and goes, and goes to a channel, while a
// fan's hold lives.
func TestAStandIsBlockedAndUnblocked(t *testing.T) {
	b := openBooth(t, 101, 200)
	fan := b.must(place(id.New(), 20_001, 20_002)).Hold
	stand := make([]seatmap.Ordinal, 20_000)
	for i := range stand {
		stand[i] = seatmap.Ordinal(i)
	}
	by := inventory.By{Actor: "ana", Reason: "stage"}
	club, err := b.cat.PutChannel(t.Context(), b.event.ID, "Fan club", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		command           inventory.Command
		blocked, channels int
	}{
		{inventory.Block{Seats: stand, By: by}, 20_000, 0}, {inventory.Unblock{Seats: stand, By: by}, 0, 0},
		{inventory.Allocate{Seats: stand, Channel: club.ID, By: by}, 0, 20_000},
	} {
		out := b.must(step.command)
		n, in := b.count("select count(*) from seat where status = 3"), b.count("select count(*) from seat where channel <> 0")
		if len(out.Seats) != len(stand) || n != step.blocked || in != step.channels {
			t.Errorf("%d seats changed, %d blocked, %d in channels", len(out.Seats), n, in)
		}
	}
	if n := b.count("select count(*) from seat_audit where array_length(ordinals, 1) <= 1000"); n != 60 {
		t.Errorf("%d rows of audit", n)
	}
	b.must(inventory.Extend{Account: fan.Account, Hold: fan.ID})
}

func TestTheStoreKnowsAChannelsSeats(t *testing.T) {
	b := openBooth(t, 2, 10)
	channel, err := b.cat.PutChannel(t.Context(), b.event.ID, "Fan club", nil)
	if err != nil {
		t.Fatal(err)
	}
	by := inventory.By{Actor: "ana", Reason: "presale"}
	row := []seatmap.Ordinal{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	b.must(inventory.Allocate{Seats: row, Channel: channel.ID, By: by})
	for i := range row {
		row[i] += 10
	}
	b.must(inventory.Block{Seats: row, By: by})
	best := func(channel int) inventory.PlaceHold {
		return inventory.PlaceHold{Hold: id.New(), Account: id.New(), Channel: channel, Best: &pick.Query{Quantity: 2}}
	}
	for range 5 {
		b.refused(fault.NoSeats, best(0))
		b.must(best(channel.ID))
	}
	b.refused(fault.NoSeats, best(channel.ID))
}
