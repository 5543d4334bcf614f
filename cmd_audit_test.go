package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"plateia/waitingroom/audit"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
)

func auditRecord(t *testing.T, record audit.Record, more ...string) (string, error) {
	t.Helper()
	return call(t, append([]string{"audit", "draw", "--event", record.Event.String(), "--record", file(t, record)}, more...)...)
}

func TestAnHonestDrawPassesItsAudit(t *testing.T) {
	sale := newPublicSale(t)
	sale.afterCut = func(s *publicSale) { s.enter(5000, s.onSale.Add(2*time.Second), 0) } // late, behind the cut
	record := sale.make()
	out, err := auditRecord(t, record, "--account", record.Epochs[0].Entries[7].Pseudonym, "--seen", file(t, sale.frontiers[3]))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"epoch 1: commitment", "epoch 2: log root", "epoch 2: beacon signature", "epoch 2: seed", fmt.Sprint(lotteryFans+1, " recomputed"), "epoch 2: frontiers",
		"epoch 2: admissions", "seen before", "those that the record names", "rank ", " 0 failed",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// Each forgery is signed with the operator's own keys: only what was published before gives it away.
func TestForgeriesAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		check string
		plan  func(*publicSale)
		after func(*publicSale, *audit.Record)
	}{
		"an entry added after the root was signed, dated before": {check: "entries", plan: func(s *publicSale) {
			s.afterCut = func(s *publicSale) { s.enter(6000, s.onSale.Add(-time.Hour), 0) }
		}},
		"a back-dated entry in the middle of the log": {check: "log root", after: func(s *publicSale, r *audit.Record) {
			r.Epochs[0].Entries[lotteryFans/2].EnteredAt -= 100
		}},
		"a back-dated entry from before the root was signed": {check: "entries", plan: func(s *publicSale) {
			s.beforeCut = func(s *publicSale) {
				for i := range 50 {
					s.enter(7000+i, s.onSale.Add(-time.Hour), 0)
				}
			}
		}},
		"a late fan in the lottery": {check: "entries", plan: func(s *publicSale) {
			s.beforeCut = func(s *publicSale) {
				s.enter(6000, s.onSale.Add(time.Second), 0)
				s.entries[len(s.entries)-1].Class = draw.Lottery
			}
		}},
		"an account twice": {check: "entries", plan: func(s *publicSale) {
			s.beforeCut = func(s *publicSale) { s.enter(lotteryFans-1, s.onSale.Add(-time.Second), 0) }
		}},
		"an entry left out": {check: "log root", after: func(s *publicSale, r *audit.Record) {
			r.Epochs[0].Entries = r.Epochs[0].Entries[1:]
		}},
		"another seed": {check: "seed", plan: func(s *publicSale) {
			s.changeReveal = func(r *draw.Reveal) { r.Seed[0] ^= 1 }
		}},
		"another secret": {check: "secret", plan: func(s *publicSale) {
			s.changeReveal = func(r *draw.Reveal) {
				*r, _ = draw.NewReveal(r.Head, s.commitment, s.cut, draw.Digest{43}, r.Beacon, nil)
			}
		}},
		"a beacon round of one's own": {check: "beacon signature", plan: func(s *publicSale) {
			s.round.Randomness = draw.Digest{7}.String()
		}},
		"no beacon, without having waited": {check: "beacon round", plan: func(s *publicSale) {
			s.changeReveal = func(r *draw.Reveal) {
				*r, _ = draw.NewReveal(r.Head, s.commitment, s.cut, s.secret, nil, nil)
			}
		}},
		"the reset epoch left out": {check: "chain", after: func(s *publicSale, r *audit.Record) {
			r.Statements = r.Statements[2:]
		}},
		"an epoch drawn twice": {check: "epochs", after: func(s *publicSale, r *audit.Record) {
			s.say(draw.RevealKind, 2, s.onSale.Add(time.Minute), func(h draw.Head) any { again := s.reveal; again.Head = h; return again })
			r.Statements = s.book.Statements
		}},
		"a frontier that moves back": {check: "frontiers", plan: func(s *publicSale) {
			s.changeDocument = func(version uint64, d *frontier.Document) {
				if version == documents/2 {
					d.Frontiers = d.History[0].Frontiers
				}
			}
		}},
		"a frontier changed without the key": {check: "frontiers", after: func(s *publicSale, r *audit.Record) {
			r.Epochs[0].Frontiers[5].Payload = r.Epochs[0].Frontiers[6].Payload
		}},
		"a past rewritten": {check: "frontiers", plan: func(s *publicSale) {
			s.changeDocument = func(version uint64, d *frontier.Document) {
				if version == documents-4 {
					d.History[2].Frontiers = d.Frontiers
				}
			}
		}},
		"a lottery of another size": {check: "frontiers", plan: func(s *publicSale) {
			s.changeDocument = func(_ uint64, d *frontier.Document) { d.Line.Tiers = []int64{lotteryFans * 3 / 4, lotteryFans/4 + 1} }
		}},
		"somebody let in before their turn": {check: "admissions", after: func(s *publicSale, r *audit.Record) {
			r.Epochs[0].Admissions[lotteryFans/2].Version = 2
		}},
		"somebody let in without an entry": {check: "admissions", after: func(s *publicSale, r *audit.Record) {
			r.Epochs[0].Admissions[0].Pseudonym = "friend"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sale := newPublicSale(t)
			if c.plan != nil {
				c.plan(sale)
			}
			record := sale.make()
			if c.after != nil {
				c.after(sale, &record)
			}
			out, err := auditRecord(t, record)
			if !errors.Is(err, errFailed) {
				t.Fatalf("%v\n%s", err, out)
			}
			if !failed(out, c.check) {
				t.Errorf("%q did not fail:\n%s", c.check, out)
			}
		})
	}
}

func failed(out, check string) bool {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "failed") && strings.Contains(line, check) {
			return true
		}
	}
	return false
}

// A draw that is made again from its first statement is honest in itself. Whoever kept
// anything signed from before sees that it is another one.
func TestADrawMadeAgainIsFoundByWhatSomebodyKept(t *testing.T) {
	first, again := newPublicSale(t), newPublicSale(t)
	first.make()
	again.secret = draw.Digest{99}
	record := again.make()
	if out, err := auditRecord(t, record); err != nil {
		t.Fatalf("the second draw alone: %v\n%s", err, out)
	}
	for _, kept := range []any{first.frontiers[0], first.book.Statements[2].Statement} {
		if out, err := auditRecord(t, record, "--seen", file(t, kept)); !errors.Is(err, errFailed) || !failed(out, "seen before") {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

func TestTheRecordIsFetchedFromTheEdge(t *testing.T) {
	sale := newPublicSale(t)
	record := sale.make()
	recordFile := file(t, record)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/events/" + record.Event.String() + "/draw":
			http.ServeFile(w, r, recordFile)
		case "/.well-known/jwks.json":
			_, _ = w.Write(sale.operator.JWKS())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	out, err := call(t, "audit", "draw", "--event", record.Event.String(), "--url", server.URL+"/", "--json")
	if err != nil || !strings.Contains(out, "1 keys of the operator") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := call(t, "audit", "draw", "--event", "fe010000-0000-0000-0000-000000000001", "--url", server.URL); err == nil {
		t.Error("an event without a record passes")
	}
}

func TestAuditRefusesWhatIsNoRecord(t *testing.T) {
	record := newPublicSale(t).make()
	otherKeys := file(t, map[string]any{"keys": []any{}})
	if out, err := auditRecord(t, record, "--keys", otherKeys); !errors.Is(err, errFailed) || !failed(out, "signatures") {
		t.Errorf("keys that are not the operator's: %v\n%s", err, out)
	}
	if out, err := call(t, "audit", "draw", "--event", "fe010000-0000-0000-0000-000000000009", "--record", file(t, record)); !errors.Is(err, errFailed) {
		t.Errorf("a record of another event: %v\n%s", err, out)
	}
	record.Version = 9
	for name, args := range map[string][]string{
		"another version": {"--record", file(t, record)},
		"no such file":    {"--record", "/nowhere"},
		"no JSON":         {"--record", os.Args[0]},
		"an odd address":  {"--url", "tickets"},
		"an odd witness":  {"--record", file(t, record), "--seen", file(t, 1)},
	} {
		if _, err := call(t, append([]string{"audit", "draw", "--event", record.Event.String()}, args...)...); err == nil {
			t.Errorf("%s: passes", name)
		}
	}
	for _, args := range [][]string{{"audit"}, {"audit", "books"}, {"audit", "draw"}} {
		var usage errUsage
		if _, err := call(t, args...); !errors.As(err, &usage) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
