package local

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/edge/line"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// claimVectors is edge/vectors/claims.json.
type claimVectors struct {
	Document     token.Statement
	Method, Path string
	Claims       []struct {
		Name, Pseudonym, Ticket, Proof, Refused string
		Now                                     int64
	}
}

// gateOf is a gate that has the vectors' document; as the room's, it leaves to Claim whom the document alone cannot refuse.
type gateOf struct {
	*hall
	doc *frontier.Document
}

func (g gateOf) verdict(t account.QueueTicket) frontier.State {
	rank := draw.NewRanker(*g.doc.Seed, t.Event, t.Epoch).Rank(t.Pseudonym)
	return g.doc.Gate(frontier.Ticket{Event: t.Event, Epoch: t.Epoch, Class: t.Class, Tier: t.Tier, Second: t.EnteredAt.Unix(), Rank: rank}, g.clock()).State
}

func (g gateOf) Gate(_ context.Context, t account.QueueTicket) error {
	switch state := g.verdict(t); state {
	case frontier.MayClaim, frontier.Missed:
		return nil
	default:
		return fault.New(fault.Waiting, "not now").With("reason", string(state))
	}
}

// Every claim of edge/vectors is answered as its vector says, by the edge where no question to the API is needed.
func TestVectorsOfClaims(t *testing.T) {
	var file claimVectors
	text, err := os.ReadFile("../vectors/claims.json")
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil || len(file.Claims) < 15 {
		t.Fatalf("%d claims, %v", len(file.Claims), err)
	}
	g := gateOf{hall: &hall{}}
	if g.tokens, err = token.New(token.Options{Current: vectorSeed(1), Others: [][]byte{vectorSeed(2)}, PseudonymKey: vectorSeed(99), Now: g.clock}); err != nil {
		t.Fatal(err)
	}
	if g.doc, err = frontier.Verify(g.tokens.Keys(), file.Document); err != nil {
		t.Fatal(err)
	}
	w := open(t, func(o *Options) { o.Tokens, o.Room = g.tokens, g })
	for _, c := range file.Claims {
		g.now = time.UnixMilli(c.Now)
		session, _, err := g.tokens.MintSession(id.ID{1})
		if err != nil {
			t.Fatal(err)
		}
		reached, said := false, ""
		w.api = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			reached = true
			said = g.claimed(r, c.Pseudonym)
		})
		r := httptest.NewRequest(file.Method, file.Path, strings.NewReader(`{"queueToken":"`+c.Ticket+`"}`))
		r.Header.Set("Authorization", "Bearer "+session)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("DPoP", c.Proof)
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, r)
		if !reached {
			var problem struct{ Reason string }
			if said = "unauthenticated"; answer.Code != http.StatusUnauthorized {
				_ = json.Unmarshal(answer.Body.Bytes(), &problem)
				said = problem.Reason
			}
		}
		if said != c.Refused {
			t.Errorf("%s: %q (%d, API reached: %v), want %q", c.Name, said, answer.Code, reached, c.Refused)
		}
		switch frontier.State(c.Refused) {
		case frontier.Waiting, frontier.Unknown, frontier.Restarted, frontier.Foreign:
			if reached {
				t.Errorf("%s: the API was asked", c.Name)
			}
		}
	}
}

// claimed is what the API decides of a claim that reaches it: whose the ticket is, and whose turn has passed.
func (g gateOf) claimed(r *http.Request, pseudonym string) string {
	body, _ := io.ReadAll(r.Body)
	text, err := line.ReadClaim(r.Header.Get("Content-Type"), body)
	if err != nil {
		return err.Error()
	}
	ticket, err := g.tokens.Ticket(text)
	if err != nil {
		return err.Error()
	}
	thumb, err := g.tokens.Proof(r.Header.Get("DPoP"), r.Method, r.URL.Path, "")
	if err != nil || thumb != ticket.KeyThumb || ticket.Pseudonym != pseudonym {
		return "unauthenticated"
	}
	if state := g.verdict(ticket); state != frontier.MayClaim {
		return string(state)
	}
	return ""
}
