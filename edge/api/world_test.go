package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/edge/api"
	"plateia/edge/mail"
	"plateia/realtime/natsd"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/ceremony"
	"plateia/waitingroom/mint"
	waitingroom "plateia/waitingroom/room"
	entrylog "plateia/waitingroom/store"
	"plateia/waitingroom/token"
)

// world is the API with everything real behind it but payments, on a real port
// and database. Every answer is checked against edge/openapi.yaml.
type world struct {
	t       *testing.T
	db      *db.DB
	catalog *db.Catalog
	auth    *token.Authority
	inbox   *mail.Inbox
	event   event.Event // a hall of 2 rows of 20
	chart   *seatmap.Chart
	api     *api.API
	url     string
	log     *safeLog
	doc     routers.Router
	entries jetstream.JetStream // where the log of entries is
}

type safeLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

type lifecycle interface {
	Start(context.Context) error
	Stop(context.Context) error
}

func open(t *testing.T, opts api.Options) *world {
	t.Helper()
	w := &world{t: t, db: dbtest.New(t), log: &safeLog{}}
	w.catalog = db.NewCatalog(w.db)
	w.chart, w.event = w.sell("Recife", event.DefaultRules())
	var err error
	if w.auth, err = token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)}); err != nil {
		t.Fatal(err)
	}
	w.doc = describe(t)
	w.openLog()
	w.openAPI(opts)
	return w
}

// draws makes draws, none of which needs a beacon: nobody enters before the sale.
func (w *world) draws(rooms *db.Rooms) *ceremony.Ceremony {
	c := ceremony.New(rooms, w.auth, beacon.Quicknet(), &beacon.Client{Chain: beacon.Quicknet()}, ceremony.Options{})
	w.t.Cleanup(func() { _ = c.Stop(context.Background()) })
	return c
}

// openLog starts a server for the log of entries.
func (w *world) openLog() {
	w.t.Helper()
	server, err := natsd.Start(w.t.Context(), natsd.Options{Dir: w.t.TempDir()})
	if err != nil {
		w.t.Fatal(err)
	}
	js, closing, err := entrylog.Dial(server)
	if err != nil {
		w.t.Fatal(err)
	}
	w.entries = js
	w.t.Cleanup(func() {
		closing()
		if err := server.Stop(context.Background()); err != nil {
			w.t.Error(err)
		}
	})
}

// openAPI starts one process's worth of everything on the world's database.
func (w *world) openAPI(opts api.Options) {
	w.t.Helper()
	store, err := db.OpenInventory(w.t.Context(), w.db, 4)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(store.Close)
	inv := inventory.New(store, w.catalog, nil, inventory.Options{Patience: time.Minute})
	entries := entrylog.New(w.entries, entrylog.Options{})
	rooms := db.NewRooms(w.db)
	lead := func(ctx context.Context, work func(context.Context) error) { _ = work(ctx) }
	room := waitingroom.New(rooms, w.catalog, w.auth, entries, w.draws(rooms), waitingroom.Options{Lead: lead, Tick: 50 * time.Millisecond})
	operators := waitingroom.NewOperators(room, rooms, mint.NewCodes(make([]byte, 32)))
	for _, part := range []lifecycle{inv, entries, room} {
		w.run(part)
	}
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	w.inbox = mail.NewInbox(slog.New(slog.DiscardHandler))
	opts.DevInbox = "/dev/inbox"
	w.api = api.New(api.Deps{
		Logger: logger, Tokens: w.auth, Events: w.catalog, Mint: mint.New(w.catalog, room, entries, w.auth, mint.Options{}), Room: room, Rooms: operators, Seats: inv,
		Records: ceremony.NewRecords(rooms, rooms, entries, w.auth), Ready: w.db.Ping,
		Accounts: account.NewSignIns(db.NewAccounts(w.db), mail.NewCodes(w.inbox), make([]byte, 32)),
	}, opts)
	w.serve(w.api)
}

// again is another process on the same database, which knows only what is stored.
func (w *world) again() *world {
	w.t.Helper()
	other := *w
	other.catalog = db.NewCatalog(w.db)
	other.openAPI(api.Options{})
	return &other
}

func (w *world) run(part lifecycle) {
	w.t.Helper()
	if err := part.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := part.Stop(context.Background()); err != nil {
			w.t.Error(err)
		}
	})
}

func (w *world) serve(a *api.API) {
	w.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.url = "http://" + ln.Addr().String()
	done := make(chan error, 1)
	go func() { done <- a.Serve(ln) }()
	w.t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := a.Stop(ctx); err != nil {
			w.t.Error(err)
		}
		<-done
	})
}

// sell puts a hall on sale: section A, rows 1 and 2 of 20 seats, 180.00 and 90.00 BRL.
func (w *world) sell(city string, rules event.Rules) (*seatmap.Chart, event.Event) {
	w.t.Helper()
	section := seatmap.SectionSpec{Label: "A"}
	for r := range 2 {
		row := seatmap.RowSpec{Label: fmt.Sprint(r + 1)}
		for s := range 20 {
			row.Seats = append(row.Seats, seatmap.SeatSpec{Number: fmt.Sprint(s + 1), X: float32(s), Y: float32(r), Category: r})
		}
		section.Rows = append(section.Rows, row)
	}
	chart, err := seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "Hall", Sections: []seatmap.SectionSpec{section},
		Categories: []seatmap.Category{{Key: "front", Name: "Front", Color: "#aa0000"}, {Key: "back", Name: "Back", Color: "#0000aa"}},
	})
	if err == nil {
		err = w.catalog.PutChart(w.t.Context(), chart)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	start := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Millisecond)
	e, err := w.catalog.CreateEvent(w.t.Context(), event.Event{
		ID: id.New(), Title: "São João 山田 🎉", Venue: event.Venue{Name: "Old Hall", City: city, Country: "BR"}, Genre: "forró",
		TimeZone: "America/Recife", Currency: "BRL", HomeRegion: "sa-east", StartsAt: start, OnSaleAt: start.Add(-72 * time.Hour),
		State: event.OnSale, ChartID: chart.ID(), ChartVersion: 1, Prices: []int64{18000, 9000}, Rules: rules,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return chart, e
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	err := w.db.Tx(w.t.Context(), func(t pgx.Tx) error {
		_, err := t.Exec(w.t.Context(), sql, args...)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func describe(t *testing.T) routers.Router {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder("application/jwk-set+json", openapi3filter.JSONBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/problem+json", openapi3filter.JSONBodyDecoder)
	return router
}

// answer is a response; its JSON is in the map.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	raw    []byte
	json   map[string]any
}

// do sends one request and checks the answer against the description. header is name, value, ….
func (w *world) do(method, path, body string, header ...string) answer {
	w.t.Helper()
	req, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	out := answer{t: w.t, status: res.StatusCode, header: res.Header}
	if out.raw, err = io.ReadAll(res.Body); err != nil {
		w.t.Fatal(err)
	}
	if strings.HasSuffix(res.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(out.raw, &out.json); err != nil {
			w.t.Fatalf("%s %s: %v: %s", method, path, err, out.raw)
		}
	}
	w.check(req, out)
	return out
}

// check validates an answer against edge/openapi.yaml.
func (w *world) check(req *http.Request, a answer) {
	w.t.Helper()
	found, params, err := w.doc.FindRoute(&http.Request{Method: req.Method, URL: mustURL(req), Header: req.Header, Host: req.Host})
	if err != nil {
		if a.status < 400 {
			w.t.Errorf("%s %s is not described: %v", req.Method, req.URL.Path, err)
		}
		return // 404 and 405 of what does not exist
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: found},
		Status:                 a.status, Header: a.header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	input.SetBodyBytes(a.raw)
	if err := openapi3filter.ValidateResponse(w.t.Context(), input); err != nil {
		w.t.Errorf("%s %s: the answer is not as described: %v\n%s", req.Method, req.URL.Path, err, a.raw)
	}
}

func (a answer) must(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%d, want %d: %s", a.status, status, a.raw)
	}
	return a
}

func (a answer) refused(status int, code fault.Code) answer {
	a.t.Helper()
	if a.status != status || a.json["code"] != string(code) {
		a.t.Fatalf("%d %s, want %d %s", a.status, a.raw, status, code)
	}
	return a
}

func (a answer) text(name string) string {
	a.t.Helper()
	s, ok := a.json[name].(string)
	if !ok {
		a.t.Fatalf("no text %q in %s", name, a.raw)
	}
	return s
}
