package seatmap

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"plateia/core/fault"
)

// planTape turns bytes into a plan in which labels, guids and places often are the same.
type planTape struct {
	rest []byte
}

func (t *planTape) pick(n int) int {
	if len(t.rest) == 0 {
		return 0
	}
	b := t.rest[0]
	t.rest = t.rest[1:]
	return int(b) % n
}

func (t *planTape) of(list ...string) string { return list[t.pick(len(list))] }

func (t *planTape) plan() (text string, seats int) {
	var zones []string
	for range 1 + t.pick(3) {
		var rows []string
		for range 1 + t.pick(4) {
			n := t.pick(6)
			var list []string
			for i := range n {
				x := float64(25*i) + []float64{0, 0, 0, 0, -2.6e-13, 12.5, -25}[t.pick(7)]
				list = append(list, seatJSON(t.of(fmt.Sprint(i+1), "1", "2", "", "a-b"), t.of(fmt.Sprint(len(t.rest)), "g", "h", ""),
					x, float64(t.pick(2)), t.of("I", "I", "I", "II", "IX")))
			}
			seats += n
			rows = append(rows, rowOf(t.of("A", "B", "1-A", ""), float64(t.pick(3)), float64(25*t.pick(4)), list...))
		}
		zones = append(zones, zoneJSON(t.of("Hall", "Hall 1", "A", "", "A-1"), float64(100*t.pick(4)), float64(-100*t.pick(2)), rows...))
	}
	return planJSON(zones...), seats
}

// FuzzImportPlan imports plans that are well-formed and full of repetitions: two seats never become one, whatever
// they share, and a repair that is offered works.
func FuzzImportPlan(f *testing.F) {
	f.Add([]byte{})
	for seed := range 30 {
		noise := rand.NewChaCha8([32]byte{byte(seed)})
		data := make([]byte, 250)
		_, _ = noise.Read(data)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, seats := (&planTape{rest: data}).plan()
		offered := false
		for _, repair := range []bool{false, true} {
			spec, report, err := ImportPretix(strings.NewReader(text), ImportOptions{Repair: repair})
			if err != nil {
				if fault.CodeOf(err) != fault.Invalid || report.ProblemTotal == 0 || len(report.Problems) > MaxProblems {
					t.Fatalf("%v, %+v", err, report)
				}
				if repair && offered {
					t.Fatalf("the repair that was offered fails: %v\n%s", err, text)
				}
				offered = report.RepairOffered
				continue
			}
			wantEverySeat(t, spec, seats)
		}
	})
}

// wantEverySeat makes sure that each seat of a plan has a name and a place of its own.
func wantEverySeat(t *testing.T, spec Spec, seats int) {
	t.Helper()
	c, err := Build(spec)
	if err != nil || c.Seats() != seats {
		t.Fatalf("%d seats of %d, %v", c.Seats(), seats, err)
	}
	labels, places := map[string]bool{}, map[Point]bool{}
	for o := range Ordinal(seats) {
		labels[c.Label(o)], places[c.At(o)] = true, true
		if found, ok := c.Find(c.Label(o)); !ok || found != o {
			t.Fatalf("seat %d is called %s, which is %d", o, c.Label(o), found)
		}
	}
	if len(labels) != seats || len(places) != seats {
		t.Fatalf("%d seats have %d names and %d places", seats, len(labels), len(places))
	}
}

// Files made to be expensive: memory stays within a small multiple of their length, short values that would cost a
// hundred times theirs are counted before they are read, and the answer is a refusal.
func TestHostilePlansAreBounded(t *testing.T) {
	zone := `{"zones":[{"name":"A","position":{"x":0,"y":0},"rows":[`
	for name, c := range map[string][3]string{
		"empty objects":    {`{"zones":[`, `{},`, `0]}`},
		"one long name":    {`{"name":"`, `ab`, `"}`},
		"exponents":        {`{"zones":[{"position":{"x":1e`, `9`, `,"y":0}}]}`},
		"rows":             {zone, `{"row_number":"1"},`, `0]}]}`},
		"seats":            {zone + `{"position":{"x":0,"y":0},"seats":[`, `{},`, `0]}]}]}`},
		"polygon":          {zone + `],"areas":[{"shape":"polygon","position":{"x":0,"y":0},"polygon":{"points":[`, `{"x":0,"y":1},`, `0]}}]}]}`},
		"bytes, not UTF-8": {``, "\xff", ``},
	} {
		t.Run(name, func(t *testing.T) {
			length := MaxPlan / 16
			if name == "empty objects" {
				length = MaxPlan
			}
			allocatesAtMost(t, 200<<20, c[0]+strings.Repeat(c[1], (length-len(c[0])-len(c[2]))/len(c[1]))+c[2])
		})
	}
	t.Run("unknown keys", func(t *testing.T) {
		var b strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&b, `"k%d":0,`, i)
		}
		allocatesAtMost(t, 200<<20, `{`+b.String()+`"zones":[]}`)
	})
}

func allocatesAtMost(t *testing.T, most uint64, text string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, report, err := ImportPretix(strings.NewReader(text), ImportOptions{Repair: true})
	runtime.ReadMemStats(&after)
	if err == nil || len(report.Problems) > MaxProblems {
		t.Errorf("%v, %d problems", err, len(report.Problems))
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > most {
		t.Errorf("%d MB were allocated", grown>>20)
	}
}
