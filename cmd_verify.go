package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"plateia/core/id"
	"plateia/db"
)

// runVerify checks what may never happen against the database, and our book of
// payments against the providers'.
func runVerify(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "verify")
	where := flags.database()
	event := flags.String("event", "", "event `id`")
	provider := flags.Bool("provider", false, "compare our book of payments with the providers', entry by entry; --event may be left out")
	providers := flags.String("providers", e.getenv("PLATEIA_PROVIDERS"), "JSON `file` of payment providers, as for plateia serve (default: the ledgers in the data folder)")
	alone := flags.Bool("stopped", false, "nothing else runs on the database: what would only be late is not reported")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	books, err := bookSources(*provider, *providers, *where.data)
	if err != nil {
		return errUsage{err.Error()}
	}
	var eventID id.ID
	if *event != "" || len(books) == 0 {
		if eventID, err = parseEvent(*event); err != nil {
			return err
		}
	}
	var verdict verdict
	err = where.use(ctx, func(d *db.DB, stopped bool) error {
		stopped = stopped || *alone
		if !eventID.IsZero() {
			report, err := d.Verify(ctx, eventID, db.VerifyOptions{Stopped: stopped})
			if err != nil {
				return err
			}
			verdict.Report = &report
		}
		for _, b := range books {
			v, err := compareBooks(ctx, d, b, stopped)
			if err != nil {
				return err
			}
			verdict.Providers = append(verdict.Providers, v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return verdict.print(e, *asJSON)
}

// verdict is what was found.
type verdict struct {
	*db.Report
	Providers []bookVerdict `json:"providers,omitempty"`
}

// print ends with errFailed when something is wrong.
func (v verdict) print(e env, asJSON bool) error {
	var err error
	if asJSON {
		err = json.NewEncoder(e.stdout).Encode(v)
	} else {
		if v.Report != nil {
			printVerdict(e.stdout, *v.Report)
		}
		for _, p := range v.Providers {
			p.print(e.stdout)
		}
	}
	wrong := v.Report != nil && len(v.Violations) > 0
	for _, p := range v.Providers {
		wrong = wrong || len(p.Differences) > 0
	}
	if wrong {
		err = errors.Join(err, errFailed)
	}
	return err
}

func printVerdict(w io.Writer, r db.Report) {
	for _, v := range r.Violations {
		fmt.Fprintln(w, v)
	}
	for rule, more := range r.More {
		fmt.Fprintf(w, "%s: and %d more\n", rule, more)
	}
	names := make([]string, 0, len(r.Counts))
	for name := range r.Counts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(w, "  %-16s %d\n", name, r.Counts[name])
	}
	fmt.Fprintf(w, "event %s: %d rules checked, %d violations\n", r.Event, r.Rules, len(r.Violations))
}
