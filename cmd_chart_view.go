package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	_ "golang.org/x/image/webp" // seatview decodes WebP where it is registered

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatview"
	"plateia/db"
)

const viewUsage = "usage: plateia chart view set FILE | remove | list | actions --event ID | --chart ID [--section LABEL,…] [--reason …] [--actor …] [--json]"

// viewOrder is what an operator asks of the pictures of a chart.
type viewOrder struct {
	action       string
	file         string
	event, chart id.ID // one of them
	sections     []string
	who, why     string
	asJSON       bool
}

// runChartView keeps the pictures of what one sees from the sections of a chart. Pages show another one within a minute or two.
func runChartView(ctx context.Context, e env, args []string) error {
	if len(args) == 0 || !slices.Contains([]string{"set", "remove", "list", "actions"}, args[0]) {
		return errUsage{viewUsage}
	}
	flags := newFlags(e, "chart view "+args[0])
	where := flags.database()
	o, err := parseView(flags, e, args)
	if err != nil {
		return err
	}
	var picture *seatview.Picture
	if o.action == "set" {
		p, err := readPicture(o.file)
		if err != nil {
			return err
		}
		picture = &p
	}
	return where.use(ctx, func(d *db.DB, _ bool) error {
		if _, err := d.Up(ctx); err != nil {
			return err
		}
		return o.carryOut(ctx, db.NewCatalog(d), picture, e.stdout)
	})
}

func parseView(flags toolFlags, e env, args []string) (o viewOrder, err error) {
	o.action = args[0]
	rest := args[1:]
	var event, chart, sections string
	flags.StringVar(&event, "event", "", "`id` of an event with the chart")
	flags.StringVar(&chart, "chart", "", "`id` of the chart")
	flags.BoolVar(&o.asJSON, "json", false, "report as JSON")
	if o.changes() {
		flags.StringVar(&sections, "section", "", "comma-separated `labels` of sections: the picture is theirs")
		flags.StringVar(&o.why, "reason", "", "`why`, for the audit")
		flags.StringVar(&o.who, "actor", cmp.Or(e.getenv("USER"), "operator"), "`who`, for the audit")
	}
	if o.action == "set" {
		o.file, rest = operandFirst(rest)
	}
	if err := flags.parse(rest); err != nil {
		return o, err
	}
	if o.sections = list(sections); (event == "") == (chart == "") {
		return o, errUsage{"either --event or --chart"}
	}
	if event != "" {
		if o.event, err = parseEvent(event); err != nil {
			return o, err
		}
	} else if o.chart, err = id.Parse(chart); err != nil {
		return o, errUsage{fmt.Sprintf("--chart: %q is not an id such as 6f1c2a9e-…", chart)}
	}
	return o, o.check()
}

func (o viewOrder) changes() bool { return o.action == "set" || o.action == "remove" }

func (o viewOrder) check() error {
	switch {
	case o.action == "set" && o.file == "":
		return errUsage{"plateia chart view set: which FILE?"}
	case o.changes() && len(o.sections) == 0:
		return errUsage{"which --section?"}
	case o.changes() && strings.TrimSpace(o.why) == "":
		return errUsage{"a change needs its --reason"}
	}
	return nil
}

func readPicture(file string) (seatview.Picture, error) {
	f, err := os.Open(file) //nolint:gosec // the operator names the file
	if err != nil {
		return seatview.Picture{}, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, seatview.MaxBytes+1))
	if err != nil {
		return seatview.Picture{}, err
	}
	p, err := seatview.Read(body)
	if err != nil {
		return p, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

func (o viewOrder) carryOut(ctx context.Context, catalog *db.Catalog, picture *seatview.Picture, w io.Writer) error {
	if !o.event.IsZero() {
		e, err := catalog.Event(ctx, o.event)
		if err != nil {
			return err
		}
		o.chart = e.ChartID
	}
	views := db.NewViews(catalog)
	for _, section := range o.sections {
		order := seatview.Order{Chart: o.chart, Section: section, Picture: picture, Who: o.who, Why: o.why}
		if err := views.Act(ctx, order); err != nil {
			return fmt.Errorf("section %s: %s", section, fault.From(err).Text)
		}
	}
	if o.action == "actions" {
		return o.printActions(ctx, views, w)
	}
	return o.print(ctx, views, w)
}

func (o viewOrder) print(ctx context.Context, views *db.Views, w io.Writer) error {
	all, err := views.Views(ctx, o.chart)
	if err != nil {
		return err
	}
	type line struct {
		Section string        `json:"section"`
		Kind    seatview.Kind `json:"type"`
		Width   int           `json:"width"`
		Height  int           `json:"height"`
		Digest  string        `json:"digest"`
		SetAt   time.Time     `json:"setAt"`
	}
	lines := make([]line, len(all))
	for i, v := range all {
		lines[i] = line{v.Section, v.Picture.Kind, v.Picture.Width, v.Picture.Height, v.Picture.Digest, v.SetAt}
	}
	if o.asJSON {
		return json.NewEncoder(w).Encode(lines)
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(w, "%s: %s, %d × %d, %s\n", l.Section, l.Kind, l.Width, l.Height, l.SetAt.Format(time.RFC3339)); err != nil {
			return err
		}
	}
	return nil
}

func (o viewOrder) printActions(ctx context.Context, views *db.Views, w io.Writer) error {
	all, err := views.Actions(ctx, o.chart, actionsShown)
	if err != nil {
		return err
	}
	if o.asJSON {
		return json.NewEncoder(w).Encode(all)
	}
	for _, a := range all {
		if _, err := fmt.Fprintf(w, "%s  %s by %s: %s\n    was %s, became %s\n", a.At.Format(time.RFC3339), a.Section, a.Who, a.Why, cmp.Or(a.Before, "nothing"), cmp.Or(a.After, "nothing")); err != nil {
			return err
		}
	}
	return nil
}
