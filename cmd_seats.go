package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/realtime/wire"
)

const seatsUsage = "usage: plateia seats block|unblock|allocate --event ID (--seats A-1-1,… | --section X [--rows 1,2]) [--channel NAME [--release TIME]] [--reason TEXT] [--dry-run]"

// seatsOrder is what an operator asks of an event's supply.
type seatsOrder struct {
	action  string // block, unblock, allocate
	event   id.ID
	which   selection
	channel string
	release *time.Time
	never   bool // the channel's seats are never released
	by      inventory.By
	dryRun  bool
	asJSON  bool
}

// runSeats takes seats off the sale, puts them back, or gives them to a channel. It runs an engine
// of its own: any number may work on an event.
func runSeats(ctx context.Context, e env, args []string) error {
	if len(args) == 0 || !slices.Contains([]string{"block", "unblock", "allocate"}, args[0]) {
		return errUsage{seatsUsage}
	}
	flags := newFlags(e, "seats "+args[0])
	where := flags.database()
	order, err := parseSeats(flags, e, args)
	if err != nil {
		return err
	}
	return where.use(ctx, func(d *db.DB, _ bool) error {
		report, err := order.carryOut(ctx, d, flags.e)
		if err == nil {
			err = report.print(e.stdout, order.asJSON)
		}
		return err
	})
}

func parseSeats(flags toolFlags, e env, args []string) (o seatsOrder, err error) {
	o.action = args[0]
	eventID := flags.String("event", "", "event `id`")
	seats := flags.String("seats", "", "seats by name, comma-separated `labels`")
	section := flags.String("section", "", "a whole section by its `label`")
	rows := flags.String("rows", "", "only these rows of the section, comma-separated `labels`")
	release := ""
	if o.action == "allocate" {
		flags.StringVar(&o.channel, "channel", "", "`name` of the channel; public gives the seats back to everybody")
		flags.StringVar(&release, "release", "", "`instant` (2026-05-01T10:00:00Z) from which anybody may have the channel's seats, or never; without it what the channel has")
	}
	flags.StringVar(&o.by.Reason, "reason", "", "`why`, for the audit")
	flags.StringVar(&o.by.Actor, "actor", cmp.Or(e.getenv("USER"), "operator"), "`who`, for the audit")
	flags.BoolVar(&o.dryRun, "dry-run", false, "count what would be changed, change nothing")
	flags.BoolVar(&o.asJSON, "json", false, "report as JSON")
	if err := flags.parse(args[1:]); err != nil {
		return o, err
	}
	if o.event, err = parseEvent(*eventID); err != nil {
		return o, err
	}
	o.which = selection{seats: list(*seats), section: *section, rows: list(*rows)}
	switch {
	case (len(o.which.seats) == 0) == (o.which.section == ""):
		return o, errUsage{"say which seats: either --seats or --section"}
	case len(o.which.rows) > 0 && o.which.section == "":
		return o, errUsage{"--rows needs --section"}
	case o.action == "allocate" && o.channel == "":
		return o, errUsage{"allocate: to which --channel? (public gives the seats back to everybody)"}
	case o.channel == public && release != "":
		return o, errUsage{"--release: the public's seats are released already"}
	case len(o.by.Reason) > 200 || len(o.by.Actor) > 200:
		return o, errUsage{"--reason and --actor: at most 200 bytes"}
	}
	if o.never = release == "never"; release != "" && !o.never {
		at, err := time.Parse(time.RFC3339, release)
		if err != nil {
			return o, errUsage{fmt.Sprintf("--release: %q is not an instant such as 2026-05-01T10:00:00Z", release)}
		}
		if !at.After(time.Now()) {
			return o, errUsage{"--release: that is over; allocate --channel public gives the seats back now"}
		}
		o.release = &at
	}
	return o, nil
}

// public is what an operator calls channel 0.
const public = "public"

// seatsReport says what became of an order, or would.
type seatsReport struct {
	Action  string `json:"action"`
	DryRun  bool   `json:"dryRun"`
	Named   int    `json:"named"`
	Free    int    `json:"free"`    // for everybody
	Channel int    `json:"channel"` // free, of a channel
	Held    int    `json:"held"`
	Sold    int    `json:"sold"`
	Blocked int    `json:"blocked"`
	Changed int    `json:"changed"`
}

func (r seatsReport) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	verb := "changed"
	if r.DryRun {
		verb = "would change"
	}
	_, err := fmt.Fprintf(w, "%s: %d seats named (%d free, %d free in a channel, %d held, %d sold, %d blocked before); %s %d\n",
		r.Action, r.Named, r.Free, r.Channel, r.Held, r.Sold, r.Blocked, verb, r.Changed)
	return err
}

func (o seatsOrder) carryOut(ctx context.Context, d *db.DB, e env) (seatsReport, error) {
	catalog := db.NewCatalog(d)
	ev, err := catalog.Event(ctx, o.event)
	if err != nil {
		return seatsReport{}, err
	}
	chart, err := catalog.Chart(ctx, ev.ChartID, ev.ChartVersion)
	if err != nil {
		return seatsReport{}, err
	}
	seats, err := o.which.in(chart)
	if err != nil {
		return seatsReport{}, err
	}
	report, err := o.count(ctx, catalog, ev, seats)
	if err != nil || o.dryRun {
		return report, err
	}
	command, err := o.command(ctx, catalog, ev, seats)
	if err != nil {
		return report, err
	}
	out, err := doOnce(ctx, d, catalog, e, o.event, command)
	report.Changed = len(out.Seats)
	return report, spelled(err)
}

// count looks at the seats as they are, and how many the order would change.
func (o seatsOrder) count(ctx context.Context, catalog *db.Catalog, ev event.Event, seats []seatmap.Ordinal) (seatsReport, error) {
	r := seatsReport{Action: o.action, DryRun: o.dryRun, Named: len(seats)}
	to := 0
	for _, c := range ev.Rules.Channels {
		if c.Name == o.channel {
			to = c.ID
		}
	}
	unknown := to == 0 && o.channel != public
	wanted := make(map[seatmap.Ordinal]bool, len(seats))
	for _, ordinal := range seats {
		wanted[ordinal] = true
	}
	err := catalog.SeatRows(ctx, o.event, func(s inventory.Seat) {
		if !wanted[s.Ordinal] {
			return
		}
		changes := o.action != "unblock"
		switch {
		case s.Status == inventory.Held:
			r.Held, changes = r.Held+1, false
		case s.Status == inventory.Sold:
			r.Sold, changes = r.Sold+1, false
		case s.Status == inventory.Blocked:
			r.Blocked, changes = r.Blocked+1, o.action == "unblock"
		case s.Channel != 0:
			r.Channel++
		default:
			r.Free++
		}
		if changes && (o.action != "allocate" || unknown || s.Channel != to) {
			r.Changed++
		}
	})
	return r, err
}

func (o seatsOrder) command(ctx context.Context, catalog *db.Catalog, ev event.Event, seats []seatmap.Ordinal) (inventory.Command, error) {
	switch o.action {
	case "block":
		return inventory.Block{Seats: seats, By: o.by}, nil
	case "unblock":
		return inventory.Unblock{Seats: seats, By: o.by}, nil
	}
	if o.channel == public {
		return inventory.Allocate{Seats: seats, By: o.by}, nil
	}
	release := o.release
	for _, known := range ev.Rules.Channels {
		if known.Name == o.channel && release == nil && !o.never {
			release = known.ReleaseAt
		}
	}
	channel, err := catalog.PutChannel(ctx, o.event, o.channel, release)
	return inventory.Allocate{Seats: seats, Channel: channel.ID, By: o.by}, err
}

// doOnce runs one command in an engine that lives for it alone. What it publishes is left to the relay.
func doOnce(ctx context.Context, d *db.DB, catalog *db.Catalog, e env, eventID id.ID, command inventory.Command) (inventory.Outcome, error) {
	store, err := db.OpenInventory(ctx, d, 1)
	if err != nil {
		return inventory.Outcome{}, err
	}
	defer store.Close()
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	inv := inventory.New(store, catalog, nil, inventory.Options{Logger: log, Encode: wire.EncodeStream, Patience: time.Minute})
	out, err := inv.Do(ctx, eventID, command)
	if stopped := inv.Stop(context.WithoutCancel(ctx)); err == nil {
		err = stopped
	}
	return out, err
}

// spelled puts the seats that a refusal names into its text, and what had been changed before it.
func spelled(err error) error {
	if err == nil {
		return nil
	}
	details := fault.From(err).Details
	seats, _ := details["seats"].([]string)
	changed, _ := details["changed"].(int)
	const most = 20
	if more := len(seats) - most; more > 0 {
		err = fmt.Errorf("%w: %v and %d more", err, seats[:most], more)
	} else if len(seats) > 0 {
		err = fmt.Errorf("%w: %v", err, seats)
	}
	switch {
	case changed > 0:
		return fmt.Errorf("%w; %d seats had been changed before that, repeat to go on", err, changed)
	case len(seats) > 0:
		return fmt.Errorf("%w; no seat was changed", err)
	}
	return err
}
