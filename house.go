package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"time"

	"plateia/core/account"
	"plateia/core/checkout"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/load"
	"plateia/core/notice"
	"plateia/core/partner"
	"plateia/core/ticket"
	"plateia/db"
	"plateia/edge/api"
	"plateia/edge/local"
	"plateia/edge/mail"
	"plateia/edge/payments/router"
	"plateia/realtime/gateway"
	"plateia/realtime/hub"
	"plateia/realtime/natsd"
	"plateia/realtime/stream"
	"plateia/realtime/wire"
	"plateia/waitingroom/ceremony"
	"plateia/waitingroom/mint"
	"plateia/waitingroom/room"
	"plateia/waitingroom/store"
	"plateia/waitingroom/token"
)

// house is the running program: the parts that the configured roles need, in the
// order in which they were started.
type house struct {
	cfg  config
	log  *slog.Logger
	life lifecycle
	fail chan error // a part that ended by itself

	database  *db.DB
	seats     *db.InventoryStore
	catalog   *db.Catalog
	keys      keyring
	tokens    *token.Authority
	stream    *stream.Client
	relay     *stream.Relay
	gateway   *gateway.Gateway
	inventory *inventory.Inventory
	loads     *load.Board // of all processes
	outlook   *outlook
	router    *router.Router
	checkout  *checkout.Service
	books     books
	entries   *store.Entries
	records   *ceremony.Records
	room      *room.Room
	mint      *mint.Minter
	codes     *mint.Codes // presale codes
	desk      *room.Operators
	inbox     *mail.Inbox
	api       *api.API
	edge      atomic.Pointer[local.Edge] // read by /upstreams, which is open before it

	partners *partner.Book

	apiListener, gatewayListener, publicListener, partnerListener net.Listener
}

// open starts everything the roles ask for. What has started is stopped again when something fails.
func open(ctx context.Context, cfg config, log *slog.Logger) (_ *house, err error) {
	h := &house{cfg: cfg, log: log, life: lifecycle{log: log}, fail: make(chan error, 16)}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	if err := h.listen(ctx); err != nil {
		return nil, err
	}
	steps := []struct {
		wanted bool
		step   func(context.Context) error
	}{
		{h.needsDatabase(), h.openDatabase},
		{cfg.dev, h.openDemo},
		{h.needsDatabase(), h.openKeys},
		{h.needsStream(), h.openStream},
		{h.needsStream(), h.openRelay},
		{cfg.has("api") || cfg.has("sweeper") || cfg.has("gateway"), h.openSeats},
		{cfg.has("api") || cfg.has("sweeper"), h.openInventory},
		{cfg.has("api") || cfg.has("sweeper"), h.openListening},
		{h.needsStream(), h.openLoad},
		{cfg.has("api"), h.openWarm},
		{cfg.dev && cfg.has("api"), h.openProgram},
		{cfg.has("api"), h.openPreparing},
		{cfg.has("sweeper"), h.openChores},
		{cfg.has("api") || cfg.has("sweeper") || cfg.has("admitter"), h.openOutlook},
		{cfg.dev, h.openSandbox},
		{cfg.has("api") || cfg.has("sweeper"), h.openCheckout},
		{cfg.has("sweeper"), h.openKeeping},
		{cfg.has("sweeper"), h.openTally},
		{cfg.metricsAddr != "", h.openMetrics},
		{cfg.has("api") || cfg.has("admitter") || cfg.has("gateway"), h.openEntries},
		{cfg.has("api") || cfg.has("admitter") || cfg.has("gateway"), h.openRoom},
		{cfg.has("api"), h.openMint},
		{cfg.has("api") || cfg.has("admitter"), h.openOperators},
		{cfg.has("api") || cfg.has("gateway") || cfg.has("edge"), h.openPartners},
		{cfg.has("gateway"), h.openGateway},
		{cfg.has("api"), h.openAPI},
		{cfg.has("edge"), h.openEdge},
		{h.partnerListener != nil, h.openShowcase},
		{cfg.consoleAddr != "", h.openConsole},
	}
	for _, s := range steps {
		if !s.wanted {
			continue
		}
		if err := s.step(ctx); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// close stops everything in the opposite order of its start.
func (h *house) close() error { return h.life.stop(h.cfg.stopTimeout) }

func (h *house) needsDatabase() bool {
	return h.needsStream() || h.cfg.has("sweeper")
}

// needsStream is also of a sweeper that knows where the stream is: what it frees is then seen and told at once.
func (h *house) needsStream() bool {
	return h.cfg.has("api") || h.cfg.has("gateway") || h.cfg.has("relay") || h.cfg.has("admitter") || h.cfg.has("sweeper") && (h.cfg.ownStream || h.cfg.nats.urls != "")
}

// listen takes the ports first: parts tell each other their addresses, and a
// port that is taken is said before a database is started.
func (h *house) listen(ctx context.Context) error {
	lc := net.ListenConfig{Control: letGhostsGo}
	for _, l := range []struct {
		role string
		addr string
		to   *net.Listener
	}{
		{"edge", h.cfg.addr, &h.publicListener},
		{"api", h.cfg.apiAddr, &h.apiListener},
		{"gateway", h.cfg.gatewayAddr, &h.gatewayListener},
	} {
		if !h.cfg.has(l.role) {
			continue
		}
		listener, err := lc.Listen(ctx, "tcp", l.addr)
		if err != nil {
			return fmt.Errorf("the address of the %s: %w", l.role, err)
		}
		*l.to = listener
		h.life.started = append(h.life.started, part{name: l.role + " port", stop: func(context.Context) error {
			if err := listener.Close(); !errors.Is(err, net.ErrClosed) {
				return err
			}
			return nil
		}})
	}
	if h.cfg.dev {
		return h.listenPartner(ctx, lc)
	}
	return nil
}

func (h *house) openDatabase(ctx context.Context) error {
	var chosen *db.Chosen
	err := h.life.start(ctx, part{
		name: "database server",
		start: func(ctx context.Context) (err error) {
			chosen, err = db.Choose(ctx, h.cfg.data, h.cfg.databaseURL, h.log)
			return err
		},
		stop: func(ctx context.Context) error { return chosen.Stop(ctx) },
	})
	if err != nil {
		return err
	}
	h.log.Info("database", "what", chosen.What)
	if err := h.background(ctx, "database server", chosen.Watch); err != nil {
		return err
	}
	return h.life.start(ctx, part{
		name: "database",
		start: func(ctx context.Context) (err error) {
			if h.database, err = db.Open(ctx, chosen.URL, db.Options{Logger: h.log, MaxConns: 24, Regions: h.cfg.regions}); err != nil {
				return err
			}
			h.catalog = db.NewCatalog(h.database)
			return h.migrated(ctx)
		},
		stop: func(context.Context) error {
			if h.database != nil {
				h.database.Close()
			}
			return nil
		},
	})
}

// migrated brings a development database up to date; in production `plateia
// migrate up` does, and a role refuses to run on another schema than its own.
func (h *house) migrated(ctx context.Context) error {
	if h.cfg.dev {
		_, err := h.database.Up(ctx)
		return err
	}
	all, err := h.database.Status(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.AppliedAt.IsZero() && !m.Optional() {
			return fmt.Errorf("migration %s has not run: plateia migrate up", m)
		}
	}
	return nil
}

func (h *house) openDemo(ctx context.Context) error {
	if err := seedDemo(ctx, h.catalog); err != nil || h.partnerListener == nil {
		return err
	}
	return seedPartner(ctx, db.NewPartners(h.database), h.partnerListener)
}

func (h *house) openProgram(ctx context.Context) error {
	return h.background(ctx, "demo program", h.sellElsewhere)
}

func (h *house) openKeys(ctx context.Context) (err error) {
	if h.keys, err = loadKeys(ctx, h.database); err != nil {
		return err
	}
	if h.tokens, err = h.authority(); err != nil {
		return err
	}
	return h.tokens.SelfTest(h.tokens.JWKS())
}

func (h *house) authority() (*token.Authority, error) {
	return token.New(token.Options{
		Current: h.keys.token.current, Others: h.keys.token.others, PseudonymKey: h.keys.pseudonym,
	})
}

func (h *house) openStream(ctx context.Context) error {
	options := h.cfg.nats.options(h.log)
	if len(h.cfg.natsRegions) > 0 {
		options.Region, options.Regions = h.cfg.region, h.cfg.natsRegions
	}
	if h.cfg.ownStream {
		var server *natsd.Server
		err := h.life.start(ctx, part{
			name: "nats server",
			start: func(ctx context.Context) (err error) {
				server, err = natsd.Start(ctx, natsd.Options{Dir: filepath.Join(h.cfg.data, "nats"), Logger: h.log})
				return err
			},
			stop: func(ctx context.Context) error { return server.Stop(ctx) },
		})
		if err != nil {
			return err
		}
		options.InProcess, options.NewIncarnation = server, server.Unclean()
	}
	return h.life.start(ctx, part{
		name: "stream",
		start: func(ctx context.Context) (err error) {
			if h.stream, err = stream.Connect(ctx, options); err == nil {
				h.catalog.Announce(h.announce)
			}
			return err
		},
		stop: func(context.Context) error { h.stream.Close(); return nil },
	})
}

// openRelay starts the relay, without the role only to mark what this process itself got acknowledged.
func (h *house) openRelay(ctx context.Context) error {
	h.relay = stream.NewRelay(h.stream, h.database.Outbox(), stream.RelayOptions{Logger: h.log, MarkOnly: !h.cfg.has("relay")})
	return h.life.start(ctx, part{name: "relay", start: h.relay.Start, stop: h.relay.Stop})
}

// openSeats opens the connections that the inventory and the live map read seats with.
func (h *house) openSeats(ctx context.Context) error {
	return h.life.start(ctx, part{
		name: "seats",
		start: func(ctx context.Context) (err error) {
			h.seats, err = db.OpenInventory(ctx, h.database, 8)
			return err
		},
		stop: func(context.Context) error { h.seats.Close(); return nil },
	})
}

func (h *house) openInventory(ctx context.Context) error {
	var publish inventory.Publisher
	if h.stream != nil {
		publish = h.stream
	}
	h.inventory = inventory.New(h.seats, h.catalog, publish, inventory.Options{
		Encode: wire.EncodeStream, Logger: h.log, Tell: h.teller(), Sweep: h.cfg.has("sweeper"),
	})
	return h.life.start(ctx, part{name: "inventory", start: h.inventory.Start, stop: h.inventory.Stop})
}

// teller takes news of holds and orders to their owners' screens; nil for a process without a stream, whose changes
// the pages find by asking.
func (h *house) teller() notice.Teller {
	if h.stream == nil {
		return nil
	}
	return h.stream.Tell
}

// announce tells everybody who looks at an event of its new state. Who misses it finds it by asking.
func (h *house) announce(which id.ID, state event.State) {
	h.stream.TellAll(which, wire.Notice{Kind: wire.NoticeEvent, Body: fmt.Appendf(nil, `{"state":%q}`, state)})
}

func (h *house) openGateway(ctx context.Context) error {
	var seen func(event, account id.ID)
	if h.room != nil {
		seen = h.room.Seen
	}
	h.gateway = gateway.New(gateway.Options{
		Verify: h.tokens.Access, Log: h.stream, Source: snapshots{h.seats, h.catalog},
		Hub:    hub.Options{Notices: h.stream, Journal: h.database.Outbox(), Shelf: h.stream.Shelf()},
		Allows: h.partners.Allows, ClientIP: gateway.ForwardedFor(loopback...), Anonymous: gateway.AnonymousSlow, Seen: seen, Ready: h.streamed, Away: h.away(), Logger: h.log,
	})
	return h.serve(ctx, "gateway", func() error { return h.gateway.Serve(h.gatewayListener) }, func(ctx context.Context) error {
		h.gateway.Drain(ctx, drainSpread)
		return h.gateway.Stop(ctx)
	})
}

// away is how long viewers wait for a stream that is away before they go elsewhere: 10 s where other regions have one
// of their own. Without, every gateway is as blind as this one.
func (h *house) away() time.Duration {
	if len(h.cfg.natsRegions) < 2 {
		return 0
	}
	return 10 * time.Second
}

// loopback is where the edge of the same machine calls from.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// drainSpread is the time over which viewers are told to come back elsewhere.
const drainSpread = 2 * time.Second

func (h *house) openAPI(ctx context.Context) error {
	var mailer mail.Sender = mail.None{}
	inbox := ""
	if h.cfg.dev {
		h.inbox = mail.NewInbox(h.log)
		mailer, inbox = h.inbox, "/dev/inbox"
	} else {
		h.log.Warn("no mail server is configured: signing in by mail answers that mail cannot be sent")
	}
	signer := ticket.NewSigner(ed25519.NewKeyFromSeed(h.keys.ticket.current))
	h.api = api.New(api.Deps{
		Logger: h.log, Tokens: h.tokens, Events: h.catalog, Mint: h.mint, Room: h.room, Records: h.records, Seats: h.inventory, Checkout: h.checkout, Ops: h.checkout, Rooms: h.desk, Signer: signer, Partners: h.partners, PartnerDesk: db.NewPartners(h.database), Views: db.NewViews(h.catalog),
		Accounts: account.NewSignIns(db.NewAccounts(h.database), mail.NewCodes(mailer), h.keys.codes),
		Ready:    h.ready,
	}, api.Options{DevSessions: h.cfg.dev || !h.cfg.devSecret.IsZero(), DevSecret: h.cfg.devSecret, OperatorKey: h.cfg.operatorKey, DevInbox: inbox, AccessLevel: slog.LevelDebug})
	return h.serve(ctx, "api", func() error { return h.api.Serve(h.apiListener) }, h.api.Stop)
}

// ready says whether this process can do its work.
func (h *house) ready(ctx context.Context) error { return h.database.Ping(ctx) }

// streamed says whether changes reach this process.
func (h *house) streamed(context.Context) error {
	if !h.stream.Connected() {
		return errors.New("the stream is away")
	}
	return nil
}
