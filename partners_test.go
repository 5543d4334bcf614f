package main

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"plateia/core/id"
	"plateia/core/partner"
	"plateia/db"
	"plateia/db/dbtest"
)

// openHouse is the program with these arguments, in this process.
func openHouse(t *testing.T, name string, args ...string) *house {
	t.Helper()
	cfg := config{dev: name == "dev"}
	if err := cfg.parse(env{io.Discard, io.Discard, func(string) string { return "" }}, name, append(args, "--stop-timeout", "50s")); err != nil {
		t.Fatal(err)
	}
	h, err := open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// seenBy is what a page of an origin meets at an edge: may it frame, read, and open the live map either way?
func seenBy(t *testing.T, edge, event, origin string) string {
	t.Helper()
	ask := func(path string, header ...string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, edge+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	var out []string
	if _, ancestors, _ := strings.Cut(ask("/embed/v1/desk/"+event).Header.Get("Content-Security-Policy"), "frame-ancestors "); strings.Contains(" "+ancestors+" ", " "+origin+" ") {
		out = append(out, "frames")
	}
	if ask("/v1/events/"+event, "Origin", origin).Header.Get("Access-Control-Allow-Origin") == origin {
		out = append(out, "reads")
	}
	if res := ask("/v1/events/"+event+"/live", "Origin", origin, "Accept", "text/event-stream"); res.StatusCode == http.StatusOK {
		out = append(out, "streams")
	}
	ws, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(edge, "http")+"/v1/events/"+event+"/live", &websocket.DialOptions{
		Subprotocols: []string{"plateia.v1"}, HTTPHeader: http.Header{"Origin": {origin}},
	})
	if err == nil {
		_ = ws.CloseNow()
		out = append(out, "listens")
	}
	return strings.Join(out, " ")
}

const everything = "frames reads streams listens"

// A change of the list is in force at every process: at the one that has the database and at an edge that has none, which asks
// the first. Two rounds and what asking takes are less than ten seconds; a machine full of other tests may need more.
func TestPartnersAreInForceEverywhere(t *testing.T) {
	t.Parallel()
	h := openHouse(t, "dev", "--addr", "127.0.0.1:0", "--data", dataFolder(t), "--database", demoSeed.URL(t), "--origins", "https://configured.example")
	address := func(l net.Listener) string { return "http://" + l.Addr().String() }
	far := openHouse(t, "serve", "--roles", "edge", "--addr", "127.0.0.1:0", "--data", dataFolder(t), "--api-url", address(h.apiListener), "--gateway-url", address(h.gatewayListener))
	edges := map[string]string{"the process with everything": h.url(), "an edge alone": far.url()}
	demo, theatre, venue := showcaseURL(h.partnerListener), "5ad10000-0000-4000-8000-000000000002", "https://venue.example"
	check := func(event, origin, want string) {
		t.Helper()
		for name, edge := range edges {
			if got := seenBy(t, edge, event, origin); got != want {
				t.Errorf("%s: %s of %s: %q, want %q", name, origin, event, got, want)
			}
		}
	}
	which, _ := id.Parse(demoStadium)
	within(t, time.Minute, "the edge alone has read the list", func() bool { return far.partners.Allows(which, demo) }) // at its start, or when it asks again
	check(demoStadium, demo, everything)
	check(theatre, demo, everything)
	check(demoStadium, "null", "")
	check(demoStadium, venue, "")
	if got := seenBy(t, h.url(), demoStadium, "https://configured.example"); got != everything {
		t.Errorf("the configured origin: %q", got)
	}
	if 3*partner.Every > 10*time.Second {
		t.Errorf("every %s is too seldom", partner.Every)
	}
	partners := db.NewPartners(h.database)
	order := partner.Order{Partner: partner.Partner{ID: id.New(), Name: "Venue", Origins: []partner.Origin{partner.Origin(venue)}, Events: []id.ID{which}}, Who: "Ana", Why: "contract"}
	for _, suspended := range []bool{false, true} {
		order.Suspended = suspended
		became, err := partners.Act(t.Context(), order)
		if err != nil {
			t.Fatal(err)
		}
		order.Version = became.Version
		want := everything
		if suspended {
			want = ""
		}
		changed := time.Now()
		for far.partners.Allows(which, venue) == suspended || h.partners.Allows(which, venue) == suspended {
			if time.Since(changed) > time.Minute {
				t.Fatal("not in force after a minute")
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Logf("suspended %v: in force everywhere after %s", suspended, time.Since(changed).Round(10*time.Millisecond))
		check(demoStadium, venue, want)
		check(theatre, venue, "")
	}
}

// The demo's partner serves its pages at an origin of its own, which is one of the data, wherever its port is today.
func TestTheDemosPartner(t *testing.T) {
	partners := db.NewPartners(dbtest.New(t))
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for range 2 {
			if err := seedPartner(t.Context(), partners, l); err != nil {
				t.Fatal(err)
			}
		}
		book := partner.NewBook(partners.List, nil)
		if err := book.Refresh(t.Context()); err != nil || len(book.Origins(id.New())) != 2 || !book.Allows(id.New(), showcaseURL(l)) || !book.Allows(id.New(), "http://"+l.Addr().String()) {
			t.Errorf("%v, %v", book.Origins(id.New()), err)
		}
	}
	if all, err := partners.Actions(t.Context(), 0, 10); err != nil || len(all) != 2 {
		t.Errorf("two ports made %d lines of the audit, %v", len(all), err)
	}
}

func TestThePortOfTheDemosPartner(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if got := nextPort(l, "127.0.0.1:0"); got != "127.0.0.1:0" {
		t.Error(got)
	}
	if got, _, _ := net.SplitHostPort(nextPort(l, "0.0.0.0:"+port)); got != "0.0.0.0" {
		t.Error(got)
	}
	// Where the next port is taken, any does.
	h := &house{cfg: config{addr: "127.0.0.1:1", dev: true}, publicListener: before{l}, life: lifecycle{log: slog.New(slog.DiscardHandler)}}
	if err := h.listenPartner(t.Context(), net.ListenConfig{}); err != nil || h.partnerListener.Addr().String() == l.Addr().String() {
		t.Errorf("%v", err)
	}
	if err := h.life.stop(time.Second); err != nil {
		t.Error(err)
	}
}

// before is a listener at the port before another's.
type before struct{ net.Listener }

func (b before) Addr() net.Addr {
	addr := *b.Listener.Addr().(*net.TCPAddr)
	addr.Port--
	return &addr
}

func TestPartnerCommand(t *testing.T) {
	d := dbtest.New(t)
	show := dbtest.OnSale(t, db.NewCatalog(d), dbtest.Hall(t, id.New(), 1, 1, 4)).ID.String()
	url := d.Pool().Config().ConnString()
	try := func(line string) (string, error) {
		var out bytes.Buffer
		err := runPartner(t.Context(), env{&out, io.Discard, func(string) string { return "" }}, append(strings.Fields(line), "--database", url))
		return out.String(), err
	}
	for _, step := range []struct{ args, prints, refuses string }{
		{"add --name Casa --origins https://Straße.example:443,http://localhost:3000 --all-events --reason contract --actor Ana", "Casa: all events\n    http://localhost:3000\n    https://xn--strae-oqa.example\n", ""},
		{"add --name Casa --origins https://b.example --all-events --reason x", "", "another partner"},
		{"add --name B --origins https://*.b.example --all-events --reason x", "", "pattern"},
		{"add --name B --origins https://b.example --all-events", "", "--reason"},
		{"add --name B --origins https://b.example --reason x", "", "--events"},
		{"add --name B --origins https://b.example --events x --reason x", "", "not an id"},
		{"add --name B --origins https://b.example --events 5ad10000-0000-4000-8000-00000000ffff --reason x", "", "no event"},
		{"change --partner casa --events " + show + " --reason less", "Casa: 1 events", ""},
		{"change --partner casa --suspend --reason late", "Casa: 1 events, suspended", ""},
		{"change --partner casa --suspend --resume --reason late", "", "either"},
		{"change --partner casa --resume --name Casa2 --reason paid", "Casa2: 1 events\n", ""},
		{"change --partner nobody --resume --reason x", "", "no partner"},
		{"list", "xn--strae-oqa.example", ""},
		{"list --json", `"origins":["http://localhost:3000","https://xn--strae-oqa.example"],"allEvents":false`, ""},
		{"remove --partner Casa2 --reason over --actor Bea", "", ""},
		{"remove --partner Casa2 --reason over", "", "no partner"},
		{"actions", "by Bea: over", ""},
		{"actions --json", `"Why":"contract"`, ""},
		{"sell", "", "usage"},
	} {
		out, err := try(step.args)
		if step.refuses == "" && (err != nil || !strings.Contains(out, step.prints)) {
			t.Errorf("%s: %q, %v", step.args, out, err)
		}
		if step.refuses != "" && (err == nil || !strings.Contains(err.Error(), step.refuses)) {
			t.Errorf("%s: %v does not say %q", step.args, err, step.refuses)
		}
	}
}
