package db

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// maxChannelName is how long a channel's name may be, in bytes.
const maxChannelName = 60

// PutChannel makes a channel known to an event, or, when it knows one of that name, changes when
// its seats are released (nil: never). Like every change of an event it waits for the batches in
// flight. Seats are moved into the channel by inventory.Allocate.
func (c *Catalog) PutChannel(ctx context.Context, which id.ID, name string, releaseAt *time.Time) (channel event.Channel, err error) {
	if name = strings.TrimSpace(name); name == "" || len(name) > maxChannelName || !utf8.ValidString(name) {
		return channel, fault.New(fault.Invalid, "a channel's name is text of 1 to %d bytes", maxChannelName)
	}
	err = c.d.Tx(ctx, func(t pgx.Tx) error {
		var text []byte
		row := t.QueryRow(ctx, "select rules from event where event_id = $1 for update", uid(which))
		if err := row.Scan(&text); err != nil {
			return notFound(err, "event")
		}
		var rules event.Rules
		if err := json.Unmarshal(text, &rules); err != nil {
			return err
		}
		if channel, err = withChannel(&rules, name, releaseAt); err != nil {
			return err
		}
		if text, err = json.Marshal(rules); err != nil {
			return err
		}
		return storeChannel(ctx, t, which, channel, text)
	})
	c.events.Forget(which)
	return channel, err
}

// withChannel finds the channel by name, or gives it the next number: numbers are never used again.
func withChannel(rules *event.Rules, name string, releaseAt *time.Time) (event.Channel, error) {
	channel := event.Channel{ID: 1, Name: name, ReleaseAt: releaseAt}
	for i, known := range rules.Channels {
		if known.Name == name {
			rules.Channels[i].ReleaseAt = releaseAt
			return rules.Channels[i], nil
		}
		channel.ID = max(channel.ID, known.ID+1)
	}
	if channel.ID > event.MaxChannels {
		return channel, fault.New(fault.Invalid, "an event has at most %d channels", event.MaxChannels)
	}
	rules.Channels = append(rules.Channels, channel)
	return channel, nil
}

func storeChannel(ctx context.Context, t pgx.Tx, which id.ID, channel event.Channel, rules []byte) error {
	_, err := t.Exec(ctx, "update event set rules = $2, version = version + 1 where event_id = $1", uid(which), rules)
	if err != nil {
		return err
	}
	if channel.ReleaseAt == nil {
		_, err = t.Exec(ctx, "delete from channel_release where event_id = $1 and channel = $2", uid(which), channel.ID)
		return err
	}
	_, err = t.Exec(ctx, `insert into channel_release (event_id, channel, release_at) values ($1, $2, $3)
		on conflict (event_id, channel) do update set release_at = excluded.release_at`, uid(which), channel.ID, *channel.ReleaseAt)
	return err
}

// SeatRows reads the rows of an event's seats: ordinal, status and channel.
func (c *Catalog) SeatRows(ctx context.Context, which id.ID, visit func(inventory.Seat)) error {
	rows, err := c.d.pool.Query(ctx, "select ordinal, status, channel from seat where event_id = $1", uid(which))
	if err != nil {
		return translate(err)
	}
	var ordinal, status, channel int64
	_, err = pgx.ForEachRow(rows, []any{&ordinal, &status, &channel}, func() error {
		visit(inventory.Seat{Ordinal: seatmap.Ordinal(ordinal), Status: inventory.Status(status), Channel: int(channel)})
		return nil
	})
	return translate(err)
}

// releasesAtOnce is how many channels one round of the sweeper looks at.
const releasesAtOnce = 20

// DueReleases is inventory.Store's. A channel that has no free seat left is taken off the list: its other
// seats join the public ones when they change hands.
func (s *InventoryStore) DueReleases(ctx context.Context, seats int) (due []inventory.DueRelease, err error) {
	channels, err := collect(ctx, s.d, func(row pgx.Row) (r inventory.DueRelease, err error) {
		return r, row.Scan(into(&r.Event), &r.Channel)
	}, "select event_id, channel from channel_release where release_at <= now() order by release_at limit $1", releasesAtOnce)
	for _, r := range channels {
		r.Seats, err = collect(ctx, s.d, func(row pgx.Row) (o seatmap.Ordinal, err error) {
			return o, row.Scan(&o)
		}, `select ordinal from seat where event_id = $1 and channel = $2 and status = 0 order by ordinal limit $3`, uid(r.Event), r.Channel, seats)
		switch {
		case err != nil:
			return due, err
		case len(r.Seats) > 0:
			due = append(due, r)
		default:
			_, err = s.d.pool.Exec(ctx, `delete from channel_release where event_id = $1 and channel = $2 and release_at <= now()`, uid(r.Event), r.Channel)
		}
	}
	return due, translate(err)
}
