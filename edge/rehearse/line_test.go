package rehearse

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// numbers reads a document that is its version.
type numbers struct{ read int }

func (n *numbers) Read(document []byte) (LineDocument, error) {
	n.read++
	v, err := strconv.ParseUint(string(document), 10, 64)
	return number(v), err
}

type number uint64

func (n number) Version() uint64 { return uint64(n) }

func (n number) Turn(string, time.Time) (Turn, error) { return Turn{Waiting: true}, nil }

// However many fans hold a document, it is verified once; an older one never takes the place of a newer.
func TestADocumentIsVerifiedOnceAndNeverGoesBack(t *testing.T) {
	reader := &numbers{}
	w := &lineWatch{read: reader}
	for _, c := range []struct {
		etag, body string
		version    uint64
		read       int
	}{{"a", "5", 5, 1}, {"a", "5", 5, 1}, {"a", "", 5, 1}, {"b", "7", 7, 2}, {"a", "5", 7, 3}, {"b", "7", 7, 3}} {
		doc, err := w.take(c.etag, []byte(c.body))
		if err != nil || doc.Version() != c.version || reader.read != c.read {
			t.Errorf("%v: version %v after %d verifications, %v", c, doc, reader.read, err)
		}
	}
	if _, err := w.take("c", []byte("forged")); err == nil {
		t.Error("a document that cannot be verified is taken")
	}
}

// A fan asks with the tag of what they have, and a 304 leaves it as it is.
func TestPollsAreConditional(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"a"`)
		if r.Header.Get("If-None-Match") == `"a"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, "3")
	}))
	defer server.Close()
	tally := newTally()
	api := newClient(Options{URL: server.URL, Parallel: 1}, tally)
	defer api.http.CloseIdleConnections()
	f := &fan{crowd: &crowd{api: api, tally: tally, line: &lineWatch{read: &numbers{}}}}
	for range 3 {
		if doc, err := f.ask(t.Context()); err != nil || doc.Version() != 3 {
			t.Fatalf("%v, %v", doc, err)
		}
	}
	if r := tally.report().Line; r.Polls != 3 || r.Unchanged != 2 {
		t.Errorf("%+v", r)
	}
}

func TestTheLotteryIsOverWhenTheSaleBegins(t *testing.T) {
	o, err := Options{Lottery: true, LineFor: time.Minute}.beforeSale(&house{onSale: time.Now().Add(20 * time.Hour)}, 0)
	if err != nil || o.Arrival > 20*time.Hour-3*time.Second || o.Arrival < 19*time.Hour || o.LineFor != o.Arrival+3*time.Second+time.Minute {
		t.Errorf("%v, %v, %v", o.Arrival, o.LineFor, err)
	}
	if o, err := (Options{Lottery: true}).beforeSale(&house{onSale: time.Now().Add(time.Hour)}, time.Second); err != nil || o.Arrival != time.Second {
		t.Errorf("sooner, if so asked: %v, %v", o.Arrival, err)
	}
	if _, err := (Options{Lottery: true}).beforeSale(&house{onSale: time.Now()}, 0); err == nil {
		t.Error("fans enter a lottery that is over")
	}
}

func TestTheLineIsInTheReport(t *testing.T) {
	tally := newTally()
	tally.came.Add(3)
	tally.entered("lottery", 10*time.Millisecond)
	tally.entered("lottery", 10*time.Millisecond)
	tally.entered("late", 10*time.Millisecond)
	tally.let(4 * time.Second)
	tally.moment()
	tally.missed()
	tally.done((result{err: errLeftLine}).end(t.Context()))
	r := tally.report()
	if r.LeftLine != 1 || r.GaveUp != 0 || !errors.Is(errLeftLine, errLeftLine) {
		t.Errorf("%+v", r)
	}
	var text bytes.Buffer
	r.Print(&text)
	for _, want := range []string{"entered 3 (2 before the sale, 1 after)", "let in after p50 4.0 s", `told "one moment" 1`, "missed 1", "went home 1"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}
