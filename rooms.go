package main

import (
	"context"
	"path/filepath"
	"time"

	"plateia/db"
	"plateia/realtime/natsd"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/ceremony"
	"plateia/waitingroom/mint"
	"plateia/waitingroom/room"
	"plateia/waitingroom/store"
)

// roomLease is how long a leader of the waiting rooms that has vanished keeps the others waiting.
const roomLease = 6 * time.Second

// openEntries opens the log of who entered which line. Where this process has a NATS server of its own the log has another one,
// which syncs every write: with the seats' changes on it, they would wait for that, too.
func (h *house) openEntries(ctx context.Context) error {
	js, options := h.stream.JetStream(), store.Options{Replicas: h.cfg.nats.replicas, Logger: h.log}
	if h.cfg.ownStream {
		var server *natsd.Server
		err := h.life.start(ctx, part{
			name: "server of the entry log",
			start: func(ctx context.Context) (err error) {
				server, err = natsd.Start(ctx, natsd.Options{Dir: filepath.Join(h.cfg.data, "entries"), MaxStore: 20 << 30, SyncAlways: true, Logger: h.log})
				return err
			},
			stop: func(ctx context.Context) error { return server.Stop(ctx) },
		})
		if err != nil {
			return err
		}
		own, closing, err := store.Dial(server)
		if err != nil {
			return err
		}
		h.life.started = append(h.life.started, part{name: "line to the entry log", stop: func(context.Context) error { closing(); return nil }})
		js, options.MaxBytes = own, 16<<30
	}
	if len(h.cfg.natsRegions) > 0 {
		options.Region = h.cfg.region
	}
	h.entries = store.New(js, options)
	return h.life.start(ctx, part{name: "entry log", start: h.entries.Start, stop: h.entries.Stop})
}

func (h *house) openRoom(ctx context.Context) error {
	rooms, options := db.NewRooms(h.database), room.Options{Logger: h.log, Load: h.loads.Of}
	if h.outlook != nil { // a gateway alone lets nobody in
		options.Closed = h.outlook.closed
	}
	if h.cfg.has("admitter") {
		options.Lead = func(ctx context.Context, work func(context.Context) error) {
			h.database.Lead(ctx, "admitter", roomLease, h.log, func(ctx context.Context, _ db.Lease) error { return work(ctx) })
		}
	}
	draws := h.draws(rooms)
	h.life.started = append(h.life.started, part{name: "draws", stop: draws.Stop})
	h.records = ceremony.NewRecords(rooms, rooms, h.entries, h.tokens)
	h.room = room.New(rooms, h.catalog, h.tokens, h.entries, draws, options)
	return h.life.start(ctx, part{name: "waiting room", start: h.room.Start, stop: h.room.Stop})
}

// openMint opens what gives places, for the API and for the edge of the same process.
func (h *house) openMint(ctx context.Context) error {
	presale, err := h.database.SigningKey(ctx, "presale")
	if err != nil {
		return err
	}
	h.codes = mint.NewCodes(presale.Seed[:])
	options := mint.Options{Codes: h.codes, Logger: h.log}
	switch {
	case !h.cfg.turnstileSecret.IsZero():
		options.Challenge = &mint.Turnstile{Secret: h.cfg.turnstileSecret, SiteKey: h.cfg.turnstileSiteKey, Hosts: h.cfg.hosts, Logger: h.log}
	case h.cfg.dev:
		options.Challenge = &mint.Dev{}
	default:
		h.log.Warn("no challenge is configured: whoever has an account may enter a line")
	}
	h.mint = mint.New(h.catalog, h.room, h.entries, h.tokens, options)
	return nil
}

// draws makes the public statements about draws. A machine of a developer may have no way to the beacon: then a draw without it
// is soon made.
func (h *house) draws(rooms *db.Rooms) *ceremony.Ceremony {
	chain := beacon.Quicknet()
	options := ceremony.Options{Logger: h.log}
	if h.cfg.dev {
		options.Wait, options.Tries = 5*time.Second, 1
	}
	return ceremony.New(rooms, h.tokens, chain, &beacon.Client{Chain: chain, Servers: beacon.Servers()}, options)
}
