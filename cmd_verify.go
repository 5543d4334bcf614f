package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"plateia/db"
)

// runVerify checks what may never happen against the database.
func runVerify(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "verify")
	where := flags.database()
	event := flags.String("event", "", "event `id`")
	alone := flags.Bool("stopped", false, "nothing else runs on the database: what would only be late is not reported")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	eventID, err := parseID("event", *event)
	if err != nil {
		return err
	}
	return where.use(ctx, func(d *db.DB, stopped bool) error {
		report, err := d.Verify(ctx, eventID, db.VerifyOptions{Stopped: stopped || *alone})
		if err != nil {
			return err
		}
		if *asJSON {
			err = json.NewEncoder(e.stdout).Encode(report)
		} else {
			printVerdict(e.stdout, report)
		}
		if err == nil && len(report.Violations) > 0 {
			err = errFailed
		}
		return err
	})
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
