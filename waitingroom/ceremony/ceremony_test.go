package ceremony

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/queue"
	"plateia/waitingroom/audit"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
)

// perform makes the statements of a sale up to its cut-off.
func (s *stage) perform(fans int) {
	s.t.Helper()
	commitment, err := s.Arm(s.t.Context(), s.event)
	if err != nil {
		s.t.Fatal(err)
	}
	if again, err := s.beside().Arm(s.t.Context(), s.event); err != nil || again != commitment {
		s.t.Fatalf("armed twice: %v %v", again, err)
	}
	roots, lottery := s.enter(fans)
	s.set(s.event.OnSaleAt.Add(3 * time.Second))
	cut, err := s.CutOff(s.t.Context(), s.event, roots, lottery)
	if err != nil {
		s.t.Fatal(err)
	}
	if again, err := s.CutOff(s.t.Context(), s.event, roots[:1], 0); err != nil || again != cut {
		s.t.Fatalf("cut off twice: %v %v", again, err)
	}
}

func (s *stage) audit() audit.Report {
	s.t.Helper()
	write, err := NewRecords(s.shelf, s.shelf, s.shelf, s.keys).Write(s.t.Context(), s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	var text bytes.Buffer
	if err := write(s.t.Context(), &text); err != nil {
		s.t.Fatal(err)
	}
	record, err := audit.Read(&text)
	if err != nil {
		s.t.Fatal(err)
	}
	return audit.Audit(record, audit.Options{Event: s.event.ID, Chain: beacon.Quicknet(), Keys: s.keys.Keys()})
}

func mustPass(t *testing.T, r audit.Report, want ...string) {
	t.Helper()
	text, _ := json.MarshalIndent(r.Checks, "", " ")
	if r.Failures > 0 {
		t.Fatalf("the audit fails: %s", text)
	}
	for _, w := range want {
		if !strings.Contains(string(text), w) {
			t.Errorf("the audit does not say %q: %s", w, text)
		}
	}
}

func TestADrawWithABeaconPassesTheAudit(t *testing.T) {
	s := newStage(t)
	s.perform(400)
	if _, _, done, err := s.Reveal(t.Context(), s.event); done || err != nil {
		t.Fatalf("before the round: %v %v", done, err)
	}
	s.set(beacon.Quicknet().TimeOf(1000))
	if _, _, done, err := s.Reveal(t.Context(), s.event); done || err != nil {
		t.Fatalf("while the servers do not have the round: %v %v", done, err)
	}
	s.up.Store(true)
	seed, verifiable := s.reveal()
	if !verifiable {
		t.Error("it is not verifiable")
	}
	if again, v, done, err := s.beside().Reveal(t.Context(), s.event); again != seed || !v || !done || err != nil {
		t.Errorf("another leader reveals %v %v %v %v", again, v, done, err)
	}
	s.shelf.documents = append(s.shelf.documents, s.document(7, seed, true))
	for _, e := range s.shelf.entries[:40] {
		s.shelf.admitted = append(s.shelf.admitted, queue.Admitted{Pseudonym: e.Pseudonym, Version: 7})
	}
	mustPass(t, s.audit(), "by the chain's key", "390 in the lottery", "40, each behind the frontier", "1 documents")
	s.shelf.entries[3].EnteredAt--
	if s.audit().Failures == 0 {
		t.Error("an entry that was dated back is not found")
	}
}

// document is one that lets everybody in.
func (s *stage) document(version uint64, seed draw.Digest, verifiable bool) []byte {
	s.t.Helper()
	signed, err := signedOf(s.shelf.all)
	if err != nil {
		s.t.Fatal(err)
	}
	d := &frontier.Document{
		Version: version, Event: s.event.ID, Epoch: 1, Time: s.now.Load(), Phase: frontier.Open, OnSaleAt: s.event.OnSaleAt, ClaimWindow: 600,
		Commitment: signed[0].Name(), CutOff: signed[1].Name(), Seed: &seed, Verifiable: verifiable,
		Line: frontier.Line{Tiers: []int64{390, 0}}, Frontiers: frontier.Frontiers{Lottery: []draw.Rank{draw.LastRank, 0}, Late: frontier.LatePoint{Second: 1 << 40}},
	}
	sealed, err := d.Sign(s.keys)
	if err != nil {
		s.t.Fatal(err)
	}
	text, _ := json.Marshal(sealed)
	return text
}

func TestWithoutABeaconTheDrawIsNotVerifiable(t *testing.T) {
	s := newStage(t)
	s.perform(100)
	chain := beacon.Quicknet()
	rule := chain.NewRule(s.event.OnSaleAt)
	for _, round := range chain.Rounds(rule, s.event.OnSaleAt.Add(3*time.Second)) {
		s.set(chain.GivenUpAt(rule, round).Add(-time.Second))
		if _, _, done, err := s.Reveal(t.Context(), s.event); done || err != nil {
			t.Fatalf("before round %d is given up: %v %v", round, done, err)
		}
	}
	s.set(time.UnixMilli(s.now.Load()).Add(2 * time.Second))
	if _, verifiable := s.reveal(); verifiable {
		t.Error("it is called verifiable")
	}
	var r draw.Reveal
	if s.last(&r); len(r.Skipped) != 3 || r.Beacon != nil {
		t.Errorf("%+v", r)
	}
	mustPass(t, s.audit(), "not publicly verifiable")
}

// A beacon that is asked just before a round's time is over, and answers just after it, has not been given up before its time.
func TestASlowAnswerGivesNoRoundUpTooSoon(t *testing.T) {
	s := newStage(t)
	s.perform(100)
	rounds := beacon.Quicknet().Rounds(beacon.Quicknet().NewRule(s.event.OnSaleAt), s.event.OnSaleAt.Add(3*time.Second))
	s.set(beacon.Quicknet().GivenUpAt(beacon.Quicknet().NewRule(s.event.OnSaleAt), rounds[len(rounds)-1]).Add(-500 * time.Millisecond))
	s.slow.Store(1000)
	for done := false; !done; {
		var err error
		if _, _, done, err = s.Reveal(t.Context(), s.event); err != nil {
			t.Fatal(err)
		}
	}
	mustPass(t, s.audit(), "not publicly verifiable")
}

func TestALotteryThatNobodyEnteredIsDrawnAtOnce(t *testing.T) {
	s := newStage(t)
	s.perform(10) // all of them late
	if _, verifiable, done, err := s.Reveal(t.Context(), s.event); !done || verifiable || err != nil {
		t.Fatalf("%v %v %v", verifiable, done, err)
	}
	mustPass(t, s.audit(), "nobody was in the lottery")
}

func TestALineThatIsArmedWhileTheSaleRunsHasNoLottery(t *testing.T) {
	s := newStage(t)
	s.set(s.event.OnSaleAt.Add(time.Hour))
	if _, err := s.Arm(t.Context(), s.event); err != nil {
		t.Fatal(err)
	}
	var log draw.Log
	if _, err := s.CutOff(t.Context(), s.event, log.Roots(), 0); err != nil {
		t.Fatal(err)
	}
	if _, _, done, err := s.Reveal(t.Context(), s.event); !done || err != nil {
		t.Fatal(done, err)
	}
	mustPass(t, s.audit(), "the sale had begun")
}

func TestAResetStaysInTheRecord(t *testing.T) {
	s := newStage(t)
	if _, err := s.Arm(t.Context(), s.event); err != nil {
		t.Fatal(err)
	}
	if _, _, ended, err := s.Ended(t.Context(), s.event); ended || err != nil {
		t.Errorf("ended before its end: %v, %v", ended, err)
	}
	for range 2 {
		if err := s.Reset(t.Context(), s.event, "the wrong hall"); err != nil {
			t.Fatal(err)
		}
	}
	if why, at, ended, err := s.Ended(t.Context(), s.event); !ended || why != "the wrong hall" || at.IsZero() || err != nil {
		t.Errorf("ended %v because of %q at %v, %v", ended, why, at, err)
	}
	if _, err := s.CutOff(t.Context(), s.event, nil, 0); !errors.Is(err, errOver) { // by a leader that has not heard of it
		t.Errorf("an epoch that was started over is cut off: %v", err)
	}
	s.event.Epoch = 2
	s.set(s.event.OnSaleAt.Add(-time.Minute))
	s.perform(30)
	s.set(beacon.Quicknet().TimeOf(1000))
	s.up.Store(true)
	s.reveal()
	if len(s.shelf.all) != 5 {
		t.Errorf("%d statements", len(s.shelf.all))
	}
	if s.shelf.all[0].Secret == nil || bytes.Equal(s.shelf.all[0].Secret, s.shelf.all[2].Secret) || s.shelf.all[3].Secret != nil {
		t.Error("the secrets are not each commitment's own")
	}
	mustPass(t, s.audit(), "the wrong hall", "not cut off")
}

// Ten leaders at once, as after a partition.
func TestManyWhoArmCommitOnce(t *testing.T) {
	s := newStage(t)
	s.shelf.before = func() { time.Sleep(time.Millisecond) }
	var all sync.WaitGroup
	var names sync.Map
	for range 10 {
		c := s.beside()
		all.Go(func() {
			name, err := c.Arm(t.Context(), s.event)
			if err != nil {
				t.Error(err)
			}
			names.Store(name, true)
		})
	}
	all.Wait()
	n := 0
	names.Range(func(any, any) bool { n++; return true })
	if n != 1 || len(s.shelf.all) != 1 {
		t.Errorf("%d commitments, %d statements", n, len(s.shelf.all))
	}
}

func TestWhatComesBeforeItsTurnIsRefused(t *testing.T) {
	s := newStage(t)
	if _, err := s.CutOff(t.Context(), s.event, nil, 0); err == nil {
		t.Error("cut off without a commitment")
	}
	if _, _, _, err := s.Reveal(t.Context(), s.event); err == nil {
		t.Error("revealed without a cut-off")
	}
	if err := s.Reset(t.Context(), s.event, "x"); err == nil {
		t.Error("reset of nothing")
	}
	records := NewRecords(s.shelf, s.shelf, s.shelf, s.keys)
	if _, err := records.Write(t.Context(), s.event.ID); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a record without a line: %v", err)
	}
	if _, err := records.Statements(t.Context(), s.event.ID); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("statements without a line: %v", err)
	}
}

func TestEntriesAreSecretBeforeTheCutOff(t *testing.T) {
	s := newStage(t)
	if _, err := s.Arm(t.Context(), s.event); err != nil {
		t.Fatal(err)
	}
	s.enter(50)
	records := NewRecords(s.shelf, s.shelf, s.shelf, s.keys)
	writes := make([]func() string, recordsAtOnce)
	for i := range writes {
		write, err := records.Write(t.Context(), s.event.ID)
		if err != nil {
			t.Fatal(err)
		}
		writes[i] = func() string {
			var text strings.Builder
			if err := write(t.Context(), &text); err != nil {
				t.Error(err)
			}
			return text.String()
		}
	}
	if _, err := records.Write(t.Context(), s.event.ID); fault.CodeOf(err) != fault.Busy {
		t.Errorf("one reader too many: %v", err)
	}
	for _, write := range writes {
		if text := write(); strings.Contains(text, "fan-0") || !strings.Contains(text, string(draw.CommitmentKind)) {
			t.Errorf("%s", text)
		}
	}
	text, err := records.Statements(t.Context(), s.event.ID)
	if err != nil || !bytes.Contains(text, []byte(`"keys":{"keys":[`)) || bytes.Contains(text, []byte("ecret\":\"AAAA")) {
		t.Errorf("%s %v", text, err)
	}
}
