package chaos_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"plateia/core/inventory"
)

// report counts what happened.
type report struct {
	mu      sync.Mutex
	blows   map[string]int
	acts    map[string]int
	answers map[string]int // of single tries
	done    map[string]int // by command and outcome
	longest time.Duration  // of one try that was answered
	until   []time.Duration
}

func count(m *map[string]int, name string) {
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[name]++
}

func (r *report) blow(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	count(&r.blows, name)
}

func (r *report) act(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	count(&r.acts, name)
}

// answer is one try's.
func (r *report) answer(reply Reply, err error, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil:
		count(&r.answers, "process gone")
		return
	case reply.Code == "":
		count(&r.answers, "done")
	default:
		count(&r.answers, string(reply.Code))
	}
	r.longest = max(r.longest, took)
}

// finished is a request's last answer, after so long.
func (r *report) finished(command inventory.Command, reply Reply, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := strings.TrimPrefix(fmt.Sprintf("%T", command), "inventory.")
	if reply.Out.Replayed {
		count(&r.acts, "answered again")
	}
	if reply.Code == "" {
		count(&r.done, name)
	}
	r.until = append(r.until, took)
}

// table is the closing table.
func (r *report) table(a *arena, took, stuck time.Duration) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	faults := map[string]int{}
	for _, p := range a.proxies {
		for name, n := range p.Struck() {
			faults[name] += n
		}
	}
	maps.Copy(faults, r.blows)
	slices.Sort(r.until)
	at := func(q float64) time.Duration {
		if len(r.until) == 0 {
			return 0
		}
		return r.until[int(q*float64(len(r.until)-1))].Round(time.Millisecond)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "seed\t%d\n", a.seed)
	fmt.Fprintf(w, "seats sold\t%d of %d in %.1f s, by two processes, clocks %v apart\n", a.seats-int(a.unsold.Load()), a.seats, took.Seconds(), clockAhead)
	fmt.Fprintf(w, "faults\t%d\n", total(faults))
	section(w, faults)
	fmt.Fprintf(w, "clients did\t\n")
	section(w, r.acts)
	fmt.Fprintf(w, "changes answered\t%d\n", total(r.done))
	section(w, r.done)
	fmt.Fprintf(w, "tries answered\t%d\n", total(r.answers))
	section(w, r.answers)
	fmt.Fprintf(w, "until the last answer\tp50 %v, p99 %v, longest %v\n", at(0.5), at(0.99), at(1))
	fmt.Fprintf(w, "longest try\t%v\n", r.longest.Round(time.Millisecond))
	fmt.Fprintf(w, "longest a dead hold kept its seats, at the end\t%v\n", stuck.Round(time.Millisecond))
	_ = w.Flush()
	return b.String()
}

func total(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

func section(w *tabwriter.Writer, m map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(w, "  %s\t%d\n", name, m[name])
	}
}
