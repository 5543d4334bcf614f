package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/partner"
	"plateia/core/secret"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/edge/api"
	"plateia/edge/embed"
)

// partnerDesk is an operator's way to the list of partners, with everything real behind it.
type partnerDesk struct {
	*world
	book *partner.Book
}

func openPartnerDesk(t *testing.T) partnerDesk {
	t.Helper()
	w := &world{t: t, db: dbtest.New(t), log: &safeLog{}, doc: describe(t)}
	w.catalog = db.NewCatalog(w.db)
	store := db.NewPartners(w.db)
	d := partnerDesk{w, partner.NewBook(store.List, []partner.Origin{"https://configured.example"})}
	w.serve(api.New(api.Deps{Partners: d.book, PartnerDesk: store}, api.Options{OperatorKey: secret.New(deskKey)}))
	return d
}

func (d partnerDesk) ops(method, path, body string) answer {
	d.t.Helper()
	return d.do(method, "/v1/ops"+path, body, "Authorization", "Bearer "+deskKey)
}

// shown are the origins that may show an event now.
func (d partnerDesk) shown(event id.ID) string {
	d.t.Helper()
	if err := d.book.Refresh(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	return string(d.do("GET", "/v1/events/"+event.String()+"/embed", "").must(200).raw)
}

func TestAnOperatorKeepsThePartners(t *testing.T) {
	t.Parallel()
	d := openPartnerDesk(t)
	_, e := d.sell("Recife", event.DefaultRules())
	path := "/partners/" + id.New().String()
	put := func(version int, rest string) answer {
		d.t.Helper()
		return d.ops("PUT", path, fmt.Sprintf(`{"who":"Ana","why":"contract 12","version":%d,"name":"Casa Ção","origins":["HTTPS://Casa.Example:443/","https://straße.example","https://casa.example"],%s}`, version, rest))
	}
	added := put(0, fmt.Sprintf(`"events":[%q]`, e.ID)).must(200)
	if got := fmt.Sprint(added.json["origins"], added.json["version"], added.json["eventCount"]); got != "[https://casa.example https://xn--strae-oqa.example] 1 1" {
		t.Errorf("added: %s", added.raw)
	}
	put(0, fmt.Sprintf(`"events":[%q]`, e.ID)).must(200) // repeated
	if got := d.shown(e.ID); got != `{"origins":["https://casa.example","https://configured.example","https://xn--strae-oqa.example"]}` {
		t.Errorf("the event is shown by %s", got)
	}
	if got := d.shown(id.New()); got != `{"origins":["https://configured.example"]}` {
		t.Errorf("another event is shown by %s", got)
	}
	put(3, `"allEvents":true`).must(409)
	put(1, `"allEvents":true,"suspended":true`).must(200)
	if got := d.shown(e.ID); got != `{"origins":["https://configured.example"]}` {
		t.Errorf("with its partner suspended the event is shown by %s", got)
	}
	list := d.ops("GET", "/partners", "").must(200)
	if !strings.Contains(string(list.raw), `"name":"Casa Ção","suspended":true`) || !strings.Contains(string(d.ops("GET", path, "").must(200).raw), `"version":2`) {
		t.Errorf("%s", list.raw)
	}
	d.ops("POST", path+"/removal", `{"who":"Bea","why":"over","version":1}`).must(409)
	d.ops("POST", path+"/removal", `{"who":"Bea","why":"over","version":2}`).must(200)
	d.ops("GET", path, "").must(404)
	if all := d.ops("GET", "/partner-actions", "").must(200).json["actions"].([]any); len(all) != 3 || all[0].(map[string]any)["who"] != "Bea" || all[0].(map[string]any)["after"] != nil {
		t.Errorf("the audit: %v", all)
	}
}

func TestOrdersOfPartnersThatAreRefused(t *testing.T) {
	t.Parallel()
	d := openPartnerDesk(t)
	path := "/partners/" + id.New().String()
	body := func(origin string) string {
		return fmt.Sprintf(`{"who":"Ana","why":"contract","version":0,"name":"Casa","origins":[%q],"allEvents":true}`, origin)
	}
	for _, origin := range []string{"*", "null", "https://*.casa.example", "https://casa.example/map", "http://casa.example", "https://", "https://a b.example", "https://xn--a.example", "https://casa.example, https://evil.example"} {
		if a := d.ops("PUT", path, body(origin)).must(400); a.json["field"] != "origins" {
			t.Errorf("%s: %s", origin, a.raw)
		}
	}
	for _, unsigned := range []string{`"who":"Ana",`, `"why":"contract",`} {
		d.ops("PUT", path, strings.Replace(body("https://casa.example"), unsigned, "", 1)).must(400)
	}
	d.do("PUT", "/v1/ops"+path, body("https://casa.example")).must(401)
	d.do("GET", "/v1/ops/partners", "").must(401)
	if all := d.ops("GET", "/partners", "").must(200).json["partners"].([]any); len(all) != 0 {
		t.Errorf("kept: %v", all)
	}
}

// An edge without a database reads the list from the API, and only when it has changed.
func TestEdgesFollowTheList(t *testing.T) {
	t.Parallel()
	d := openPartnerDesk(t)
	edge := partner.NewBook(embed.Follow(http.DefaultClient, []*url.URL{{Scheme: "http", Host: "127.0.0.1:1"}, {Scheme: "http", Host: strings.TrimPrefix(d.url, "http://")}}), nil)
	if err := edge.Refresh(t.Context()); err == nil {
		t.Error("an API that has not read the list itself told one")
	}
	d.ops("PUT", "/partners/"+id.New().String(), `{"who":"Ana","why":"contract","version":0,"name":"Casa","origins":["https://casa.example"],"allEvents":true}`).must(200)
	d.shown(id.New())
	for range 2 {
		if err := edge.Refresh(t.Context()); err != nil || !edge.Allows(id.New(), "https://casa.example") || edge.Allows(id.New(), "https://configured.example") {
			t.Errorf("%v, %v", err, edge.Origins(id.New()))
		}
	}
	again := d.do("GET", "/v1/partners", "", "If-None-Match", `"1"`)
	if again.status != http.StatusNotModified {
		t.Errorf("the same version is told again: %d", again.status)
	}
}

// A flood of made-up events asks nobody: the list is in memory and does not grow.
func TestAFloodOfUnknownEvents(t *testing.T) {
	t.Parallel()
	d := openPartnerDesk(t)
	if err := d.book.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.db.Close() // whoever asks it from now on fails
	before := d.book.List()
	for range 500 {
		if a := d.do("GET", "/v1/events/"+id.New().String()+"/embed", ""); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
	}
	if err := d.book.Refresh(t.Context()); err == nil || d.book.List() != before || !d.book.Allows(id.New(), "https://configured.example") {
		t.Errorf("with the database away the list is another one (%v)", err)
	}
}
