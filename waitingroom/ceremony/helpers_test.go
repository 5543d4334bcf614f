package ceremony

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf does what the database does, in memory.
type shelf struct {
	mu        sync.Mutex
	all       []queue.Statement
	before    func() // called before each append
	documents [][]byte
	admitted  []queue.Admitted
	entries   []draw.Entry
}

func (s *shelf) Statements(context.Context, id.ID) ([]queue.Statement, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all), nil
}

func (s *shelf) AppendStatement(_ context.Context, _ id.ID, q queue.Statement) (bool, error) {
	if s.before != nil {
		s.before()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Seq != int64(len(s.all))+1 {
		return false, nil
	}
	s.all = append(s.all, q)
	return true, nil
}

func (s *shelf) Documents(context.Context, queue.Key) ([][]byte, error) { return s.documents, nil }

func (s *shelf) Admissions(_ context.Context, _ queue.Key, after string, limit int) (page []queue.Admitted, _ error) {
	for _, a := range s.admitted {
		if a.Pseudonym > after && len(page) < limit {
			page = append(page, a)
		}
	}
	return page, nil
}

func (s *shelf) All(context.Context, queue.Key) iter.Seq2[draw.Entry, error] {
	return func(yield func(draw.Entry, error) bool) {
		for _, e := range s.entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// stage is a ceremony around round 1000 of quicknet, on a hand-turned clock, with a server that has that round
// once it is up.
type stage struct {
	*Ceremony
	t      *testing.T
	shelf  *shelf
	keys   *token.Authority
	now    atomic.Int64 // Unix milliseconds
	slow   atomic.Int64 // milliseconds that an answer takes
	up     atomic.Bool
	event  event.Event
	server *httptest.Server
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t, shelf: &shelf{}}
	text, err := os.ReadFile("../beacon/testdata/quicknet-1000.json")
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.now.Add(s.slow.Load())
		if !s.up.Load() || r.URL.Path != "/"+beacon.Quicknet().Hash+"/public/1000" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(func() {
		s.Stop(context.Background())
		s.server.Client().CloseIdleConnections()
		s.server.Close()
	})
	if s.keys, err = token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)}); err != nil {
		t.Fatal(err)
	}
	onSale := beacon.Quicknet().TimeOf(1000).Add(-15 * time.Second)
	s.event = event.Event{ID: id.ID{9}, Epoch: 1, OnSaleAt: onSale}
	s.set(onSale.Add(-time.Hour))
	s.Ceremony = s.beside()
	return s
}

// beside is another process's ceremony over the same statements.
func (s *stage) beside() *Ceremony {
	client := &beacon.Client{Chain: beacon.Quicknet(), Servers: []string{s.server.URL}, HTTP: s.server.Client()}
	c := New(s.shelf, s.keys, beacon.Quicknet(), client, Options{Now: func() time.Time { return time.UnixMilli(s.now.Load()) }})
	s.t.Cleanup(func() { c.Stop(context.Background()) })
	return c
}

func (s *stage) set(t time.Time) { s.now.Store(t.UnixMilli()) }

// enter puts fans into the log: in the lottery, but for the last ten.
func (s *stage) enter(fans int) (roots []draw.ShardRoot, lottery int64) {
	var log draw.Log
	for n := range fans {
		at := s.event.OnSaleAt.Add(time.Duration(n-fans+10) * time.Millisecond)
		e := draw.Entry{Pseudonym: fmt.Sprintf("fan-%03d", n), Class: draw.ClassAt(at, s.event.OnSaleAt), EnteredAt: at.UnixMilli(), KeyThumb: "k"}
		if e.Class == draw.Lottery {
			lottery++
		}
		log.Add(e)
		s.shelf.entries = append(s.shelf.entries, e)
	}
	return log.Roots(), lottery
}

// reveal asks until the draw is done.
func (s *stage) reveal() (seed draw.Digest, verifiable bool) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		seed, verifiable, done, err := s.Reveal(s.t.Context(), s.event)
		if err != nil {
			s.t.Fatal(err)
		}
		if done {
			return seed, verifiable
		}
	}
	s.t.Fatal("the draw is never done")
	return seed, verifiable
}

func (s *stage) last(into any) {
	s.t.Helper()
	text, _, err := s.keys.Keys().Open(s.shelf.all[len(s.shelf.all)-1].Kind, s.signed(len(s.shelf.all)-1))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) signed(at int) (signed token.Statement) {
	if err := json.Unmarshal(s.shelf.all[at].Body, &signed); err != nil {
		s.t.Fatal(err)
	}
	return signed
}
