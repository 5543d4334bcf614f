package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"plateia/db/privatepg"
)

// leftover is a database to which no data folder leads any more.
type leftover struct {
	Name  string    `json:"name"`
	Dir   string    `json:"dir"`
	Of    string    `json:"of,omitempty"` // the data folder's link; "": nobody wrote it down
	Used  time.Time `json:"used"`
	Bytes int64     `json:"bytes"`
}

// runLeftovers lists databases whose data folder is gone, and removes those that are named. Nothing removes one by itself: its data
// folder may have been moved, or be on a disk that is not there just now.
func runLeftovers(_ context.Context, e env, args []string) error {
	flags := newFlags(e, "leftovers")
	remove := flags.String("remove", "", "comma-separated `names` of those to remove, or all: then each of which it is known that its data folder is gone")
	asJSON := flags.Bool("json", false, "list as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	all, err := privatepg.Leftovers()
	if err != nil {
		return err
	}
	if *remove != "" {
		return removeLeftovers(e, all, list(*remove))
	}
	return listLeftovers(e, all, *asJSON)
}

func listLeftovers(e env, all []privatepg.Left, asJSON bool) error {
	out := make([]leftover, 0, len(all))
	for _, l := range all {
		out = append(out, leftover{filepath.Base(l.Dir), l.Dir, l.Of, l.Used, l.Bytes()})
	}
	if asJSON {
		return json.NewEncoder(e.stdout).Encode(out)
	}
	if len(out) == 0 {
		fmt.Fprintln(e.stdout, "none")
		return nil
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tMB\tlast used\tof a data folder that was at")
	for _, l := range out {
		of := l.Of
		if of == "" {
			of = "(not known: an older version made it. Start what it may belong to once, and look again)"
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", l.Name, l.Bytes/1e6, l.Used.Format(time.DateTime), of)
	}
	return w.Flush()
}

func removeLeftovers(e env, all []privatepg.Left, names []string) error {
	var faults []error
	for _, name := range names {
		if name != "all" && !slices.ContainsFunc(all, func(l privatepg.Left) bool { return filepath.Base(l.Dir) == name }) {
			faults = append(faults, errUsage{fmt.Sprintf("leftovers: %q is none; without --remove they are listed", name)})
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	for _, l := range all {
		named := slices.Contains(names, filepath.Base(l.Dir))
		if !named && (l.Of == "" || !slices.Contains(names, "all")) {
			continue
		}
		if err := l.Remove(); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", l.Dir, err))
			continue
		}
		fmt.Fprintf(e.stdout, "removed %s\n", l.Dir)
	}
	return errors.Join(faults...)
}
