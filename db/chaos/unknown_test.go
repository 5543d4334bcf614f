package chaos_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/db/dbtest/wireproxy"
)

// theatre is where events for single commands are put on.
type theatre struct {
	truth *db.DB
	cat   *db.Catalog
	chart *seatmap.Chart
	calm  local
}

func openTheatre(t *testing.T) *theatre {
	t.Helper()
	d := dbtest.New(t)
	th := &theatre{truth: d, cat: db.NewCatalog(d), chart: dbtest.Hall(t, id.New(), 1, 4, stageSeats/4)}
	th.calm = local{engineOn(t, d, inventory.Options{NoFastRefusal: true})} // holds are made to die behind its back
	return th
}

func engineOn(t *testing.T, d *db.DB, opts inventory.Options, lines ...*wireproxy.Proxy) *inventory.Inventory {
	t.Helper()
	store, err := db.OpenInventory(t.Context(), d, 4)
	if err != nil {
		t.Fatal(err)
	}
	inv := inventory.New(store, db.NewCatalog(d), nil, opts)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := inv.Stop(ctx); err != nil {
			t.Error(err)
		}
		for _, proxy := range lines {
			proxy.Close() // the driver goes on hoping for an answer of a silent line for 15 s
		}
		store.Close()
	})
	return inv
}

func (th *theatre) stage(t *testing.T) *stage {
	t.Helper()
	return &stage{truth: th.truth, event: dbtest.OnSale(t, th.cat, th.chart), calm: th.calm, fan: id.New()}
}

// unharmed is what each command does when nothing happens to it.
func (th *theatre) unharmed(t *testing.T) map[string]string {
	t.Helper()
	prints := map[string]string{}
	for _, c := range repeatables {
		s := th.stage(t)
		s.must(c.begin(s)())
		print, err := s.fingerprint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		prints[c.name] = print
	}
	return prints
}

// wounded runs one command through an engine in trouble, and then repeats it elsewhere: the one true answer, and one change.
func wounded(s *stage, c repeatable, trouble func() doer, want string) (first Reply, err error) {
	defer func() {
		if text, ok := recover().(failed); ok {
			err = fmt.Errorf("%s", string(text))
		}
	}()
	command := c.begin(s)
	began := time.Now()
	first, lost := trouble().do(s.event.ID, command(), answerWithin)
	took := time.Since(began)
	if first.Code != "" && !open(first, lost) {
		return first, fmt.Errorf("was answered %s (%s)", first.Code, first.Text)
	}
	if took > answerWithin {
		return first, fmt.Errorf("took %v", took)
	}
	again, err := s.calm.do(s.event.ID, command(), answerWithin)
	for tries := 1; open(again, err) && tries < 10; tries++ {
		again, err = s.calm.do(s.event.ID, command(), answerWithin)
	}
	if err != nil {
		return first, fmt.Errorf("repeated: %w", err)
	}
	told := lost == nil && first.Code == ""
	switch {
	case again.Code != "" && again.Code == c.again: // what was done is in the print
	case again.Code != "":
		return first, fmt.Errorf("repeated: %s", again.Text)
	case told && (c.again != "" || tell(first) != tell(again)):
		return first, fmt.Errorf("was told %s, and then %s", tell(first), tell(again))
	}
	print, err := s.fingerprint(context.Background())
	if err == nil && print != want {
		err = fmt.Errorf("changed\n%s\nwant\n%s", print, want)
	}
	return first, err
}

// tell is what a fan would remember of an answer.
func tell(r Reply) string {
	text := fmt.Sprint(r.Out.Hold.ID, r.Out.Hold.State, r.Out.Order.ID, r.Out.Order.Status, r.Out.Attempt.ID, r.Out.Attempt.Status)
	for _, ticket := range r.Out.Tickets {
		text += " " + ticket.ID.String()
	}
	return text
}

// troubles are the moments around COMMIT and around what settles it.
var troubles = []struct {
	name    string
	plan    func() *wireproxy.Script
	unknown bool // the first caller may have to be told that nobody knows yet, also on a machine that is not busy
}{
	{"cut before COMMIT", script(commitStep(wireproxy.Fault{})), false},
	{"cut while COMMIT is on its way", script(commitStep(wireproxy.Fault{Point: wireproxy.During, Wait: 100 * time.Millisecond})), false},
	{"cut after COMMIT", script(commitStep(wireproxy.Fault{Point: wireproxy.After})), false},
	{"COMMIT's answer torn", script(commitStep(wireproxy.Fault{Point: wireproxy.After, Torn: true})), false},
	{"COMMIT refused", script(commitStep(wireproxy.Fault{Deed: wireproxy.Fail, Code: "40001"}), commitStep(wireproxy.Fault{Deed: wireproxy.Fail, Code: "23505"})), false},
	{"silent before COMMIT", script(commitStep(wireproxy.Fault{Deed: wireproxy.Silence})), true},
	{"silent after COMMIT", script(commitStep(wireproxy.Fault{Deed: wireproxy.Silence, Point: wireproxy.After})), false},
	{"cut before COMMIT, the settlement's answer lost",
		script(commitStep(wireproxy.Fault{}), settleStep(wireproxy.Fault{Point: wireproxy.After})), false},
	{"cut after COMMIT, the settlement's answer lost",
		script(commitStep(wireproxy.Fault{Point: wireproxy.After}), settleStep(wireproxy.Fault{Point: wireproxy.After})), false},
	{"cut after COMMIT, the settlement silent",
		script(commitStep(wireproxy.Fault{Point: wireproxy.After}), settleStep(wireproxy.Fault{Deed: wireproxy.Silence})), true},
	{"cut after COMMIT, the settlement refused",
		script(commitStep(wireproxy.Fault{Point: wireproxy.After}), settleStep(wireproxy.Fault{Deed: wireproxy.Fail, Code: "40001"})), false},
}

func commitStep(f wireproxy.Fault) wireproxy.Step {
	return wireproxy.Step{Kind: wireproxy.Commit, Fault: f}
}

func settleStep(f wireproxy.Fault) wireproxy.Step {
	return wireproxy.Step{Kind: wireproxy.Settlement, Fault: f}
}

func script(steps ...wireproxy.Step) func() *wireproxy.Script {
	return func() *wireproxy.Script { return wireproxy.NewScript(steps...) }
}

// TestEveryCommandSurvivesEveryUnknownOutcome loses COMMIT in every way, for every command.
func TestEveryCommandSurvivesEveryUnknownOutcome(t *testing.T) {
	th := openTheatre(t)
	want := th.unharmed(t)
	for i, trouble := range troubles {
		t.Run(trouble.name, func(t *testing.T) {
			var told atomic.Int32
			each(t, th, many, func(s *stage, c repeatable) error {
				proxy, inv := throughProxy(t, th, i%2 == 1)
				plan := trouble.plan()
				steps := strings.Count(trouble.name, ",") + 1
				first, err := wounded(s, c, func() doer { proxy.Plan(plan.Plan); return local{inv} }, want[c.name])
				if first.Code == "" {
					told.Add(1)
				}
				if err == nil && first.Code == "" && plan.Done() < steps {
					err = fmt.Errorf("only %d of the faults happened: %v", plan.Done(), proxy.Struck())
				}
				return err
			})
			if t.Logf("%d of %d first callers were told the truth at once", told.Load(), len(repeatables)); told.Load() == 0 && !trouble.unknown {
				t.Error("nobody was told the truth that could be known in time")
			}
		})
	}
}

// many commands at once cost a machine little while most of them wait; a process for each of them costs it much.
const (
	many = 24
	few  = 6
)

// each runs every command, so many at once, on an event of its own.
func each(t *testing.T, th *theatre, atOnce int, run func(*stage, repeatable) error) {
	t.Helper()
	var all sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for _, c := range repeatables {
		s := th.stage(t)
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			defer func() {
				if text, ok := recover().(failed); ok {
					t.Errorf("%s: %s", c.name, string(text))
				}
			}()
			if err := run(s, c); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
	all.Wait()
}

// socketFolder is a folder with a short and plain name.
func socketFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "plateia-chaos-")
	if err != nil {
		panic(failed(err.Error()))
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

func throughProxy(t *testing.T, th *theatre, unix bool) (*wireproxy.Proxy, *inventory.Inventory) {
	t.Helper()
	var proxy *wireproxy.Proxy
	var err error
	if unix {
		proxy, err = wireproxy.Unix(th.truth.URL(), socketFolder(t))
	} else {
		proxy, err = wireproxy.TCP(th.truth.URL())
	}
	if err != nil {
		panic(failed(err.Error()))
	}
	t.Cleanup(proxy.Close)
	d, err := db.Open(context.Background(), proxy.URL(), db.Options{MaxConns: 2})
	if err != nil {
		panic(failed(err.Error()))
	}
	t.Cleanup(func() { proxy.Close(); d.Close() })
	return proxy, engineOn(t, d, inventory.Options{}, proxy)
}

// When even the settlement gets no answer the caller is told so, within the settle deadline, and the truth later.
func TestUnknownIsSaidInTimeAndSettledBehind(t *testing.T) {
	th := openTheatre(t)
	want := th.unharmed(t)
	for name, point := range map[string]wireproxy.Point{"it was kept": wireproxy.After, "it was not": wireproxy.Before} {
		t.Run(name, func(t *testing.T) {
			each(t, th, many, func(s *stage, c repeatable) error {
				proxy, inv := throughProxy(t, th, false)
				plan := func(st wireproxy.Statement) *wireproxy.Fault {
					switch st.Kind {
					case wireproxy.Commit:
						return &wireproxy.Fault{Point: point}
					case wireproxy.Settlement:
						return &wireproxy.Fault{}
					}
					return nil
				}
				first, err := wounded(s, c, func() doer { proxy.Plan(plan); return local{inv} }, want[c.name])
				proxy.Plan(nil) // Stop waits for the truth
				if err == nil && !open(first, nil) {
					err = fmt.Errorf("%q %s", first.Code, first.Text)
				}
				return err
			})
		})
	}
}

// A line that goes silent in the middle of a transaction keeps its rows locked. Others wait for them no longer than
// the database lets a transaction idle, and for other rows not at all.
func TestSilentPeerKeepsNobodyWaiting(t *testing.T) {
	th := openTheatre(t)
	passed := false
	for tries := 0; !passed; tries++ { // on a machine that stands still the lock may be gone before anybody comes by
		if tries == 5 {
			t.Fatal("a seat that nobody else wanted was never had before the silent line's lock was gone")
		}
		passed = passSilentLine(t, th)
	}
}

// passSilentLine reports whether somebody was served while a silent line held its lock.
func passSilentLine(t *testing.T, th *theatre) (passed bool) {
	t.Helper()
	s := th.stage(t)
	proxy, inv := throughProxy(t, th, false)
	plan := wireproxy.NewScript(commitStep(wireproxy.Fault{Deed: wireproxy.Silence}))
	silent := make(chan Reply, 1)
	proxy.Plan(plan.Plan)
	go func() {
		r, _ := local{inv}.do(s.event.ID, place(s.fan, "k", 0, 1), answerWithin)
		silent <- r
	}()
	for deadline := time.Now().Add(time.Minute); plan.Done() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no COMMIT")
		}
	}
	s.must(place(id.New(), "k", 5))
	passed = s.locked(t, 1)
	r, err := th.calm.do(s.event.ID, place(id.New(), "k", 1, 2), answerWithin)
	if err != nil || r.Code == fault.Busy || r.Code == fault.OutcomeUnknown {
		t.Errorf("a seat behind a silent line: %v %s", err, r.Text)
	}
	if r := <-silent; r.Code != "" && r.Code != fault.SeatTaken && r.Code != fault.OutcomeUnknown {
		t.Errorf("the silent one was answered %s", r.Text)
	}
	return passed
}

// locked reports whether a transaction has changed a seat and not ended.
func (s *stage) locked(t *testing.T, seat seatmap.Ordinal) bool {
	t.Helper()
	tag, err := s.truth.Pool().Exec(t.Context(), `select 1 from seat where event_id = $1 and ordinal = $2 for update skip locked`,
		[16]byte(s.event.ID), int64(seat))
	if err != nil {
		t.Fatal(err)
	}
	return tag.RowsAffected() == 0
}

// TestEveryCommandIsRepeated fails when a command is added to the inventory and not here.
func TestEveryCommandIsRepeated(t *testing.T) {
	var repeated strings.Builder
	for _, c := range repeatables {
		repeated.WriteString(" " + c.name)
	}
	files, err := filepath.Glob("../../core/inventory/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range tree.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Name.Name != "command" || f.Recv == nil || strings.HasSuffix(file, "_test.go") {
				continue
			}
			if name := f.Recv.List[0].Type.(*ast.Ident).Name; !strings.Contains(repeated.String(), " "+name) {
				t.Errorf("no test loses the answer of a %s", name)
			}
		}
	}
}
