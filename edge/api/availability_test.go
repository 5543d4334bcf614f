package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/edge/api"
)

// bits unpacks two bits a seat.
func bits(t *testing.T, packed []byte, seats int) []int {
	t.Helper()
	if len(packed) != (seats+3)/4 {
		t.Fatalf("%d bytes for %d seats", len(packed), seats)
	}
	out := make([]int, seats)
	for i := range out {
		out[i] = int(packed[i/4] >> (2 * (i % 4)) & 3)
	}
	return out
}

func (a answer) bitmap(seats int) []int {
	a.t.Helper()
	packed, err := base64.StdEncoding.DecodeString(a.text("seatsBitmap"))
	if err != nil {
		a.t.Fatal(err)
	}
	return bits(a.t, packed, seats)
}

func (a answer) offset() float64 {
	return a.json["position"].(map[string]any)["offset"].(float64)
}

func TestAvailability(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	path := "/v1/events/" + w.event.ID.String() + "/availability"
	before := w.do("GET", path, "").must(200)
	if before.header.Get("Cache-Control") != "public, max-age=1, stale-while-revalidate=2, stale-if-error=10" || before.header.Get("Vary") != "Accept" {
		t.Error(before.header)
	}
	w.do("GET", path, "", "If-None-Match", before.header.Get("ETag")).must(304)
	f := w.fan("ana@example.com").signIn().comeIn()
	f.hold(`{"seatIds":["A-1-3","A-2-4"]}`).must(201)
	after := w.do("GET", path, "", "If-None-Match", before.header.Get("ETag")).must(200)
	for o, got := range after.bitmap(40) {
		if held := o == 2 || o == 23; held != (got == 1) || !held && got != 0 {
			t.Errorf("seat %d has status %d", o, got)
		}
	}
	section := after.json["sections"].([]any)[0].(map[string]any)
	if section["free"] != float64(38) || section["total"] != float64(40) || section["section"] != "A" || section["key"] != "A" || section["area"] != false {
		t.Errorf("%v", section)
	}
	if before.offset() != 0 || after.offset() != 2 {
		t.Errorf("offset %v before and %v after two seats changed", before.offset(), after.offset())
	}
	raw := w.do("GET", path, "", "Accept", "application/octet-stream").must(200)
	if raw.header.Get("ETag") == after.header.Get("ETag") || raw.header.Get("Vary") != "Accept" {
		t.Errorf("two forms under one tag: %v", raw.header)
	}
	if got := bits(t, raw.raw[36:], 40); got[2] != 1 || got[3] != 0 || binary.LittleEndian.Uint32(raw.raw[32:]) != 38 {
		t.Errorf("the binary form differs: %x", raw.raw)
	}
	w.do("GET", "/v1/events/"+id.New().String()+"/availability", "").refused(404, fault.NotFound)
	w.do("GET", "/v1/events/"+id.New().String()+"/availability/A", "").refused(404, fault.NotFound)
}

// oddHall puts on sale sections whose labels are hard to write in a path, and an area.
func (w *world) oddHall(labels ...string) event.Event {
	w.t.Helper()
	spec := seatmap.Spec{
		ID: id.New(), Version: 1, Name: "Odd", Categories: []seatmap.Category{{Key: "c", Name: "C", Color: "#aa0000"}},
	}
	for i, label := range labels {
		row := seatmap.RowSpec{Label: "1"}
		for s := range 3 + i {
			row.Seats = append(row.Seats, seatmap.SeatSpec{Number: string(rune('1' + s)), X: float32(s), Y: float32(10 * i)})
		}
		spec.Sections = append(spec.Sections, seatmap.SectionSpec{Label: label, Rows: []seatmap.RowSpec{row}})
	}
	spec.Sections = append(spec.Sections, seatmap.SectionSpec{
		Label: "Pista", Places: 5, Outline: []seatmap.Point{{X: 100, Y: 0}, {X: 120, Y: 0}, {X: 120, Y: 20}, {X: 100, Y: 20}},
	})
	chart, err := seatmap.Build(spec)
	if err == nil {
		err = w.catalog.PutChart(w.t.Context(), chart)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	e := w.event
	e.ID, e.ChartID, e.Prices = id.New(), chart.ID(), []int64{5000}
	if e, err = w.catalog.CreateEvent(w.t.Context(), e); err != nil {
		w.t.Fatal(err)
	}
	return e
}

func TestSectionAvailability(t *testing.T) {
	w := open(t, api.Options{})
	keys := map[string]string{"A": "A", "Block A": "Block~20A", "A/B%2F": "A~2FB~252F", "Tribüne 日": "Trib~C3~BCne~20~E6~97~A5", "..": "~2E.", "~": "~7E", "x.y_z-1": "x.y_z-1"}
	labels := []string{"A", "Block A", "A/B%2F", "Tribüne 日", "..", "~", "x.y_z-1"}
	e := w.oddHall(labels...)
	w.exec("update seat set status = 3, version = 2 where event_id = $1 and ordinal in (4, 34)", [16]byte(e.ID))
	whole := "/v1/events/" + e.ID.String() + "/availability"
	from := 0
	for i, label := range labels {
		got := w.do("GET", whole+"/"+keys[label], "").must(200)
		if got.text("section") != label || got.text("key") != keys[label] || got.json["from"] != float64(from) || got.json["total"] != float64(3+i) {
			t.Errorf("%q: %s", label, got.raw)
		}
		for s, status := range got.bitmap(3 + i) {
			if blocked := from+s == 4 || from+s == 34; blocked != (status == 3) {
				t.Errorf("%q: seat %d has status %d", label, s, status)
			}
		}
		from += 3 + i
	}
	for _, other := range []string{"Block A", "Block%20A", "Block~20a", "~41", "A~", "A~2", "A~2fB~252F", "A%2FB%252F", "..", "%2E%2E", "a", "", "B", "Tribüne%20日", "Trib%C3%BCne~20~E6~97~A5", "Block+A"} {
		path := whole + "/" + (&url.URL{Path: other}).EscapedPath()
		if other == "" || other == ".." {
			path = whole + "/" + other
		}
		if a := w.raw("GET", path); a.StatusCode != 404 || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%q is another spelling and answers %d", other, a.StatusCode)
		}
	}
	area := w.do("GET", whole+"/Pista", "").must(200)
	if area.json["seatsBitmap"] != nil || area.json["area"] != true || area.json["free"] != float64(5) || area.json["total"] != float64(5) {
		t.Errorf("an area is counts: %s", area.raw)
	}
	packed := w.do("GET", whole+"/Pista", "", "Accept", "application/octet-stream").must(200)
	if len(packed.raw) != 36 || packed.raw[5] != 2 {
		t.Errorf("an area is counts: %x", packed.raw)
	}
}

// raw sends a path as it is written.
func (w *world) raw(method, path string) *http.Response {
	w.t.Helper()
	target, err := url.Parse(w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(&http.Request{Method: method, URL: &url.URL{Scheme: "http", Host: target.Host, Opaque: path}, Header: http.Header{}})
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res
}

func TestAvailabilityIsConditional(t *testing.T) {
	w := open(t, api.Options{})
	path := "/v1/events/" + w.event.ID.String() + "/availability/A"
	first := w.do("GET", path, "").must(200)
	tag := first.header.Get("ETag")
	for header, status := range map[string]int{
		tag: 304, "W/" + tag: 304, "*": 304, `"x", ` + tag: 304, `"a,b" , W/"c",` + tag + `,"d"`: 304, "  " + tag + "  ": 304,
		`"x"`: 200, `W/"x"`: 200, tag[1 : len(tag)-1]: 200, `"x` + tag: 200, `"*"`: 200, "": 200, `"x", *`: 200, `"` + tag + `"`: 200, "w/" + tag: 200,
	} {
		got := w.do("GET", path, "", "If-None-Match", header).must(status)
		if got.header.Get("ETag") != tag || got.header.Get("Cache-Control") == "no-store" || got.header.Get("Vary") != "Accept" {
			t.Errorf("%s: %v", header, got.header)
		}
	}
	if head := w.raw("HEAD", path); head.StatusCode != 200 || head.Header.Get("ETag") != tag || head.ContentLength != int64(len(first.raw)) {
		t.Errorf("HEAD: %d %v, GET %v", head.StatusCode, head.Header, first.header)
	}
	for accept, kind := range map[string]string{
		"": "application/json", "*/*": "application/json", "application/octet-stream": "application/octet-stream", "application/octet-stream;q=0": "application/json",
		"application/json, application/octet-stream;q=0.5": "application/json", "application/json;q=0.5, Application/Octet-Stream": "application/octet-stream", "text/html": "application/json",
	} {
		if got := w.do("GET", path, "", "Accept", accept).must(200).header.Get("Content-Type"); got != kind {
			t.Errorf("Accept %q gets %s", accept, got)
		}
	}
}

// However many ask for the same document, it is encoded once; and reading never looks at a seat row.
func TestReadsAreCollapsedAndTouchNoSeats(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	path := "/v1/events/" + w.event.ID.String()
	before := w.do("GET", path+"/availability", "").must(200) // warms
	made := w.api.Stats().DocumentsMade
	unlock := w.lockSeats()
	var crowd sync.WaitGroup
	for range 10 {
		crowd.Go(func() {
			for range 25 {
				for _, read := range []string{path, path + "/availability", path + "/availability/A", "/v1/events?q=recife"} {
					if res := w.raw("GET", read); res.StatusCode != 200 {
						t.Errorf("%s: %d", read, res.StatusCode)
					}
				}
			}
		})
	}
	crowd.Wait()
	unlock()
	if n := w.api.Stats().DocumentsMade - made; n != 1 { // the section's
		t.Errorf("%d documents were made for 500 readers of an event where nothing changed", n)
	}
	f := w.fan("ana@example.com").signIn().comeIn()
	f.hold(`{"seatIds":["A-1-3"]}`).must(201)
	made = w.api.Stats().DocumentsMade
	for range 5 {
		if got := w.do("GET", path+"/availability", "").must(200); got.header.Get("ETag") == before.header.Get("ETag") || got.bitmap(40)[2] != 1 {
			t.Error("an old document after the hold was answered")
		}
	}
	if s := w.api.Stats(); s.DocumentsMade-made != 1 || s.DocumentBytes == 0 || s.DocumentBytes > 10_000 {
		t.Errorf("%+v", s)
	}
}

// lockSeats makes whoever looks at a seat row wait, and time out, until unlock.
func (w *world) lockSeats() (unlock func()) {
	w.t.Helper()
	if w.db.Dialect != db.Postgres {
		return func() {}
	}
	release, locked, done := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		done <- w.db.Tx(w.t.Context(), func(t pgx.Tx) error {
			_, err := t.Exec(w.t.Context(), "set local idle_in_transaction_session_timeout = 0")
			if err == nil {
				_, err = t.Exec(w.t.Context(), "lock table seat in access exclusive mode")
			}
			locked <- err
			<-release
			return err
		})
	}()
	if err := <-locked; err != nil {
		w.t.Fatal(err)
	}
	return func() {
		close(release)
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	}
}

// The same state has the same tag and position in another process, and after a restart.
func TestPositionAndTagSurviveARestart(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	f := w.fan("ana@example.com").signIn().comeIn()
	path := "/v1/events/" + w.event.ID.String() + "/availability"
	w.do("GET", path, "").must(200)
	f.hold(`{"seatIds":["A-1-3","A-2-4"]}`).must(201)
	f.hold(`{"seatIds":["A-1-5"]}`).must(201) // gives two back
	before := w.do("GET", path, "").must(200)
	other := w.again()
	after := other.do("GET", path, "", "If-None-Match", before.header.Get("ETag")).must(304)
	if after.header.Get("ETag") != before.header.Get("ETag") {
		t.Errorf("tags %s and %s of one state", before.header.Get("ETag"), after.header.Get("ETag"))
	}
	if got := other.do("GET", path, "").must(200); !bytes.Equal(got.raw, before.raw) || got.offset() != 5 {
		t.Errorf("one state, two documents:\n%s\n%s", before.raw, got.raw)
	}
}
