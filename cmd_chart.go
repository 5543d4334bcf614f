package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// runChart imports a venue plan and puts an event with it on sale, or keeps the pictures from its sections.
func runChart(ctx context.Context, e env, args []string) error {
	if len(args) > 0 && args[0] == "view" {
		return runChartView(ctx, e, args[1:])
	}
	if len(args) == 0 || args[0] != "import" {
		return errUsage{"usage: plateia chart import FILE [--repair] [--title …] [--prices …] [--home-region …] [--dry-run]\n" + viewUsage}
	}
	flags := newFlags(e, "chart import")
	where := flags.database()
	repair := flags.Bool("repair", false, "give duplicate and unnamed seats labels of their own")
	dryRun := flags.Bool("dry-run", false, "report what the plan is, store nothing")
	asJSON := flags.Bool("json", false, "report as JSON")
	title := flags.String("title", "", "the event's `title` (default: the plan's name)")
	venue := flags.String("venue", "", "the venue's `name` (default: the plan's name)")
	currency := flags.String("currency", "BRL", "ISO 4217 `code`")
	prices := flags.String("prices", "180.00,120.00,90.00,60.00,45.00", "comma-separated `amounts` by category; the last serves the rest")
	fees := flags.String("fees", "", "comma-separated `list` of NAME=AMOUNT per ticket, NAME=AMOUNT/order, or NAME=RATE% of the prices")
	tax := flags.String("tax", "0", "`percent` of tax that prices and fees include")
	zone := flags.String("time-zone", "America/Sao_Paulo", "IANA `name`")
	home := flags.String("home-region", "", "`region` in which the event's rows live and its sale is decided (CockroachDB; default: the database's primary one)")
	file, rest := operandFirst(args[1:])
	if err := flags.parse(rest); err != nil {
		return err
	}
	if file == "" {
		return errUsage{"plateia chart import: which FILE?"}
	}
	minor, err := parsePrices(*prices, *currency)
	if err != nil {
		return errUsage{"--prices: " + err.Error()}
	}
	rules, err := parsePricing(*fees, *tax, *currency)
	if err != nil {
		return errUsage{err.Error()}
	}
	if regions, err := parseRegions(*home); err != nil {
		return err
	} else if len(regions) > 1 {
		return errUsage{"--home-region: one region"}
	}
	spec, err := importPlan(e.stdout, file, *repair, *asJSON)
	if err != nil || *dryRun {
		return err
	}
	now := time.Now().UTC()
	ev := event.Event{
		ID: id.New(), Title: cmp.Or(*title, spec.Name), Venue: event.Venue{Name: cmp.Or(*venue, spec.Name)}, TimeZone: *zone, Currency: *currency,
		State: event.OnSale, StartsAt: now.AddDate(0, 2, 0).Truncate(time.Hour), OnSaleAt: now.Truncate(time.Minute),
		Rules: rules,
	}
	return where.use(ctx, func(d *db.DB, _ bool) error {
		if _, err := d.Up(ctx); err != nil {
			return err
		}
		if ev.HomeRegion, err = homeRegion(*home, d.Regions()); err != nil {
			return err
		}
		created, err := sellChart(ctx, db.NewCatalog(d), ev, spec, minor)
		if err == nil {
			fmt.Fprintf(e.stdout, "on sale: event %s, %d seats\n", created.ID, created.Capacity)
		}
		return err
	})
}

// homeRegion is where an event is at home: as asked, which must be one of the database's regions if it has any.
func homeRegion(asked string, regions db.Regions) (string, error) {
	switch {
	case len(regions) == 0:
		return cmp.Or(asked, "local"), nil
	case asked == "":
		return regions[0], nil
	case !slices.Contains(regions, asked):
		return "", errUsage{fmt.Sprintf("--home-region: %q is none of the database's regions %q", asked, []string(regions))}
	}
	return asked, nil
}

// importPlan reads the plan and reports what it found; errFailed when it is refused.
func importPlan(w io.Writer, file string, repair, asJSON bool) (seatmap.Spec, error) {
	f, err := os.Open(file) //nolint:gosec // the operator names the file
	if err != nil {
		return seatmap.Spec{}, err
	}
	defer f.Close()
	spec, report, err := seatmap.ImportPretix(f, seatmap.ImportOptions{ID: id.New(), Repair: repair})
	if asJSON {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return spec, errors.Join(err, out.Encode(report))
	}
	fmt.Fprintf(w, "%s: %d seats\n", file, report.Seats)
	printProblems(w, "problem", report.Problems, report.ProblemTotal)
	printProblems(w, "repaired", report.Repairs, report.RepairTotal)
	printProblems(w, "warning", report.Warnings, report.WarningTotal)
	if err != nil && report.RepairOffered {
		fmt.Fprintln(w, "every problem can be repaired: run it again with --repair")
	}
	return spec, err
}

func printProblems(w io.Writer, kind string, problems []seatmap.Problem, total int) {
	for _, p := range problems {
		fmt.Fprintf(w, "  %s: %s\n", kind, p)
	}
	if total > len(problems) {
		fmt.Fprintf(w, "  … and %d more of kind %s\n", total-len(problems), kind)
	}
}

// operandFirst allows the file before or behind the flags.
func operandFirst(args []string) (operand string, rest []string) {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return args[0], args[1:]
	}
	if n := len(args); n > 1 && !strings.HasPrefix(args[n-1], "-") && !strings.HasPrefix(args[n-2], "--") {
		return args[n-1], args[:n-1]
	}
	return "", args
}
