package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/edge/rehearse"
)

// twoRooms are two processes that both run the waiting room and the shop behind it, over one database, one NATS server and
// one bank; and an edge in front.
type twoRooms struct {
	*pair
	t     *testing.T
	db    *db.DB
	event id.ID
}

func openRooms(t *testing.T) *twoRooms {
	t.Helper()
	r := &twoRooms{t: t, event: id.New(), pair: &pair{
		data: dataFolder(t), database: dbtest.URL(t), ports: map[string]string{}, file: pairFile{DevSecret: id.New().String(), PIDs: map[string][]int{}},
	}}
	t.Cleanup(r.close)
	r.db = dbtest.Open(t, r.database, db.Options{})
	r.sell()
	if err := r.choosePorts(); err != nil {
		t.Fatal(err)
	}
	bank, err := r.bank()
	if err != nil {
		t.Fatal(err)
	}
	nats, err := r.nats(pairRegions[0])
	if err != nil {
		t.Fatal(err)
	}
	r.together(bank, nats)
	r.together(r.process("east"), r.process("west"))
	both := func(role string) string {
		return "east=http://" + r.ports[role+" east"] + ",west=http://" + r.ports[role+" west"]
	}
	r.together(start{"edge", "", []string{
		"serve", "--roles", "edge", "--addr", r.ports["edge east"], "--data", filepath.Join(r.data, "edge"), "--api-url", both("api"), "--gateway-url", both("gateway"),
	}})
	return r
}

// sell puts a hall on sale for a few at a time.
func (r *twoRooms) sell() {
	r.t.Helper()
	now, rules := time.Now().UTC().Truncate(time.Second), event.DefaultRules()
	rules.Inside = 6
	e := event.Event{
		ID: r.event, Title: "Rooms", Venue: event.Venue{Name: "Hall", City: "Recife", Country: "BR"}, Genre: "test", TimeZone: "America/Recife", Currency: "BRL",
		HomeRegion: "local", State: event.OnSale, StartsAt: now.Add(240 * time.Hour), OnSaleAt: now.Add(-time.Hour), Rules: rules,
	}
	if _, err := sellChart(r.t.Context(), db.NewCatalog(r.db), e, drillHall(), []int64{18000}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *twoRooms) process(name string) start {
	return start{name, name, []string{
		"serve", "--roles", "api,gateway,admitter,relay,sweeper", "--nats", "nats://" + r.ports["nats east"], "--database", r.database, "--data", filepath.Join(r.data, name),
		"--providers", r.providers(), "--dev-secret", r.file.DevSecret, "--api-addr", r.ports["api "+name], "--gateway-addr", r.ports["gateway "+name],
	}}
}

// together starts processes and waits until they are ready.
func (r *twoRooms) together(all ...start) {
	r.t.Helper()
	var starting sync.WaitGroup
	for _, s := range all {
		starting.Go(func() {
			if err := r.start(r.t.Context(), s); err != nil {
				log, _ := os.ReadFile(filepath.Join(r.data, s.name+".log"))
				r.t.Errorf("%v\n%s", err, log)
			}
		})
	}
	starting.Wait()
	if r.t.Failed() {
		r.t.FailNow()
	}
}

// kill ends a process without a warning.
func (r *twoRooms) kill(name string) {
	r.t.Helper()
	all := r.file.PIDs[name]
	if err := syscall.Kill(all[len(all)-1], syscall.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
}

func (r *twoRooms) row() queue.Row {
	row, err := db.NewRooms(r.db).Room(r.t.Context(), r.event)
	if err != nil {
		return queue.Row{} // not armed yet
	}
	return row
}

// admitted is how many have been let in.
func (r *twoRooms) admitted() (n int) {
	r.t.Helper()
	err := r.db.Pool().QueryRow(r.t.Context(), "select count(*) from admission where event_id = $1 and admitted_at is not null", [16]byte(r.event)).Scan(&n)
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// Of two processes that run the room one after the other is killed while people stand in line: each time the frontier goes
// on under the other, more are let in, and nobody loses the place.
func TestRoomsAreKilledInTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("runs five processes")
	}
	t.Parallel()
	const fans = 40
	r := openRooms(t)
	var report rehearse.Report
	var playing sync.WaitGroup
	playing.Go(func() {
		out, err := call(t, "rehearse", "--url", "http://"+r.ports["edge east"], "--event", r.event.String(), "--fans", strconv.Itoa(fans), "--parallel", strconv.Itoa(fans),
			"--arrival", "10s", "--line-for", "200s", "--viewers", "0", "--dev-secret", r.file.DevSecret, "--json")
		if jsonErr := json.Unmarshal([]byte(out), &report); jsonErr != nil {
			t.Errorf("%v, %v: %s", err, jsonErr, out)
		}
		t.Logf("%s", out)
	})
	within(t, 2*time.Minute, "people are let in", func() bool { return r.admitted() > 0 })
	for _, name := range []string{"east", "west"} {
		r.kill(name)
		version, let := r.row().Version, r.admitted()
		killed := time.Now()
		within(t, 2*time.Minute, "the frontier goes on", func() bool { return r.row().Version > version+2 })
		t.Logf("%s killed at version %d with %d let in: it goes on after %v", name, version, let, time.Since(killed).Round(time.Millisecond))
		within(t, 2*time.Minute, "more are let in", func() bool { return r.admitted() > let || let == fans })
		r.together(r.process(name))
	}
	playing.Wait()
	if report.Line.Entered != fans || report.Bought != fans || report.LeftLine > 0 {
		t.Errorf("of %d fans %d entered, %d bought, %d went home", fans, report.Line.Entered, report.Bought, report.LeftLine)
	}
	verified, err := r.db.Verify(context.WithoutCancel(t.Context()), r.event, db.VerifyOptions{})
	if err != nil || len(verified.Violations) > 0 {
		t.Errorf("verify: %v, %v", fmt.Sprint(verified.Violations), err)
	}
}
