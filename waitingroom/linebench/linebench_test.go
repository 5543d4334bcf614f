package linebench

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func testLine(t *testing.T) *line {
	t.Helper()
	l, err := newLine()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What is measured is the work itself: a wrong credential fails the run.
func TestOnlyGoodCredentialsAreMeasured(t *testing.T) {
	l := testLine(t)
	if r, err := l.mints(t.Context(), 40); err != nil || r <= 0 {
		t.Errorf("%v mints, %v", r, err)
	}
	if unknown, known, err := l.gates(t.Context(), 40); err != nil || unknown <= 0 || known <= 0 {
		t.Errorf("%v and %v at the gate, %v", unknown, known, err)
	}
	edge, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	fans, err := l.newcomers(2)
	if err != nil {
		t.Fatal(err)
	}
	for what, fan := range map[string]newcomer{
		"a changed session": {fans[0].session[:len(fans[0].session)-8] + "AAAAAAAA", fans[0].proof}, "no proof": {fans[0].session, ""},
	} {
		if err := enter(edge, l.event, fan); err == nil {
			t.Errorf("%s enters", what)
		}
	}
	if err := enter(edge, l.event, fans[1]); err != nil {
		t.Error(err)
	}
	if err := enter(edge, l.event, fans[1]); err == nil {
		t.Error("a proof is taken twice")
	}
	foreign, _, err := l.signer.MintTicket(account.QueueTicket{Event: id.New(), Epoch: 1, Pseudonym: "p", Class: draw.Lottery, EnteredAt: l.onSale, KeyThumb: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.gate(edge, foreign); err == nil {
		t.Error("a ticket of another event is answered")
	}
}

// A poll is right only when the document is whole, signed, and not older than the one before.
func TestWrongAnswersAreErrors(t *testing.T) {
	l := testLine(t)
	old, err := l.doc.Sign(l.signer)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.step(l.onSale.Add(2*time.Hour), 1); err != nil {
		t.Fatal(err)
	}
	good, err := l.doc.Sign(l.signer)
	if err != nil {
		t.Fatal(err)
	}
	forged := good
	forged.Signature = old.Signature
	for what, c := range map[string]struct {
		second  token.Statement
		headers map[string]string
		status  int
		errors  int64
	}{
		"the same again":      {good, map[string]string{"Age": "0", "ETag": `"a"`}, 200, 0},
		"an older one":        {old, map[string]string{"Age": "0", "ETag": `"b"`}, 200, 1},
		"another signature":   {forged, map[string]string{"Age": "0", "ETag": `"b"`}, 200, 1},
		"nothing about age":   {good, map[string]string{"ETag": `"a"`}, 200, 1},
		"a server that fails": {good, map[string]string{"Age": "0", "ETag": `"a"`}, 503, 1},
	} {
		t.Run(what, func(t *testing.T) {
			first := true
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				say, status := c.second, c.status
				if w.Header().Set("Age", "0"); first {
					say, status, first = good, http.StatusOK, false
					w.Header().Set("ETag", `"a"`)
				} else {
					w.Header().Del("Age")
					for name, value := range c.headers {
						w.Header().Set(name, value)
					}
				}
				text, _ := json.Marshal(say)
				w.WriteHeader(status)
				_, _ = w.Write(text)
			}))
			defer server.Close()
			p, err := dial(t.Context(), strings.TrimPrefix(server.URL, "http://"), "/", l.signer.Keys())
			if err != nil {
				t.Fatal(err)
			}
			defer p.conn.Close()
			if err := p.ask(true); err != nil {
				t.Fatal(err)
			}
			for p.polls == 0 && p.errors == 0 {
				p.run(t.Context(), time.Now().Add(20*time.Millisecond))
			}
			if p.errors != c.errors {
				t.Errorf("%d errors in %d polls", p.errors, p.polls)
			}
		})
	}
}

func TestRunsThatAreRefused(t *testing.T) {
	for _, o := range []Options{{Mints: -1}, {Gates: MaxFans + 1}, {Clients: MaxClients + 1}, {Polling: time.Hour}} {
		if _, err := Run(context.Background(), o); err == nil {
			t.Errorf("%+v runs", o)
		}
	}
}
