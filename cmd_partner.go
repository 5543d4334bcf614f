package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/partner"
	"plateia/db"
	"plateia/edge/embed"
)

const partnerUsage = "usage: plateia partner list | add | change | remove | actions [--partner ID|NAME] [--name …] [--origins https://a.example,…] [--all-events | --events ID,…] [--suspend | --resume] [--reason …] [--actor …] [--json]"

// partnerOrder is what an operator asks of the list of partners. What is nil stays as it is.
type partnerOrder struct {
	action    string
	which     string // id or name
	name      *string
	origins   []partner.Origin
	events    []id.ID
	allEvents bool
	suspended *bool
	who, why  string
	asJSON    bool
}

// runPartner keeps the list of partners: who may show the map on pages of their own. A change is in force everywhere within ten seconds.
func runPartner(ctx context.Context, e env, args []string) error {
	if len(args) == 0 || !slices.Contains([]string{"list", "add", "change", "remove", "actions"}, args[0]) {
		return errUsage{partnerUsage}
	}
	flags := newFlags(e, "partner "+args[0])
	where := flags.database()
	o, err := parsePartner(flags, e, args)
	if err != nil {
		return err
	}
	return where.use(ctx, func(d *db.DB, _ bool) error {
		if _, err := d.Up(ctx); err != nil {
			return err
		}
		return o.carryOut(ctx, db.NewPartners(d), e.stdout)
	})
}

func parsePartner(flags toolFlags, e env, args []string) (o partnerOrder, err error) {
	o.action = args[0]
	flags.BoolVar(&o.asJSON, "json", false, "report as JSON")
	var name, origins, events string
	var suspend, resume bool
	if o.changes() {
		flags.StringVar(&o.why, "reason", "", "`why`, for the audit")
		flags.StringVar(&o.who, "actor", cmp.Or(e.getenv("USER"), "operator"), "`who`, for the audit")
	}
	if o.action == "change" || o.action == "remove" {
		flags.StringVar(&o.which, "partner", "", "`id` or name of the partner")
	}
	if o.action == "add" || o.action == "change" {
		flags.StringVar(&name, "name", "", "the partner's `name`")
		flags.StringVar(&origins, "origins", "", "comma-separated `origins` of the partner's pages, such as https://venue.example; no patterns")
		flags.StringVar(&events, "events", "", "comma-separated `ids` of the events that may be shown")
		flags.BoolVar(&o.allEvents, "all-events", false, "all events may be shown")
	}
	if o.action == "change" {
		flags.BoolVar(&suspend, "suspend", false, "allow the partner nothing for now")
		flags.BoolVar(&resume, "resume", false, "take a suspension back")
	}
	if err := flags.parse(args[1:]); err != nil {
		return o, err
	}
	if o.origins, err = parsePartnerOrigins(list(origins)); err != nil {
		return o, err
	}
	for _, text := range list(events) {
		event, err := id.Parse(text)
		if err != nil {
			return o, errUsage{fmt.Sprintf("--events: %q is not an id such as 6f1c2a9e-…", text)}
		}
		o.events = append(o.events, event)
	}
	if name != "" {
		o.name = &name
	}
	if suspend || resume {
		o.suspended = &suspend
	}
	return o, o.check(suspend && resume)
}

func parsePartnerOrigins(all []string) (origins []partner.Origin, err error) {
	for _, text := range all {
		o, err := embed.ParseOrigin(text)
		if err != nil {
			return nil, errUsage{"--origins: " + fault.From(err).Text}
		}
		origins = append(origins, o)
	}
	return origins, nil
}

func (o partnerOrder) changes() bool { return o.action != "list" && o.action != "actions" }

func (o partnerOrder) check(both bool) error {
	switch {
	case both:
		return errUsage{"either --suspend or --resume"}
	case o.changes() && strings.TrimSpace(o.why) == "":
		return errUsage{"a change needs its --reason"}
	case len(o.why) > 500 || len(o.who) > 100:
		return errUsage{"--reason has at most 500 bytes, --actor 100"}
	case o.action == "add" && (o.name == nil || len(o.origins) == 0 || !o.allEvents && len(o.events) == 0):
		return errUsage{"add needs --name, --origins, and --events or --all-events"}
	case o.allEvents && len(o.events) > 0:
		return errUsage{"either --all-events or --events"}
	case (o.action == "change" || o.action == "remove") && o.which == "":
		return errUsage{o.action + ": which --partner?"}
	}
	return nil
}

func (o partnerOrder) carryOut(ctx context.Context, partners *db.Partners, w io.Writer) error {
	switch o.action {
	case "list":
		all, err := partners.All(ctx)
		if err != nil {
			return err
		}
		return o.print(w, all...)
	case "actions":
		return o.printActions(ctx, partners, w)
	}
	order := partner.Order{Partner: partner.Partner{ID: id.New()}, Remove: o.action == "remove", Who: o.who, Why: o.why}
	if o.action != "add" {
		was, err := o.find(ctx, partners)
		if err != nil {
			return err
		}
		order.Partner = was
	}
	order.Partner = o.applied(order.Partner)
	became, err := partners.Act(ctx, order)
	if err != nil || order.Remove {
		return err
	}
	return o.print(w, became)
}

// find is the partner that --partner names.
func (o partnerOrder) find(ctx context.Context, partners *db.Partners) (partner.Partner, error) {
	if which, err := id.Parse(o.which); err == nil {
		return partners.Partner(ctx, which)
	}
	all, err := partners.All(ctx)
	if err != nil {
		return partner.Partner{}, err
	}
	for _, p := range all {
		if strings.EqualFold(p.Name, o.which) {
			return p, nil
		}
	}
	return partner.Partner{}, fault.New(fault.NotFound, "no partner %q", o.which)
}

func (o partnerOrder) applied(p partner.Partner) partner.Partner {
	if o.name != nil {
		p.Name = *o.name
	}
	if o.suspended != nil {
		p.Suspended = *o.suspended
	}
	if len(o.origins) > 0 {
		p.Origins = o.origins
	}
	if o.allEvents || len(o.events) > 0 {
		p.AllEvents, p.Events = o.allEvents, o.events
	}
	return p
}

// partnerLine is a partner as the tool shows it.
type partnerLine struct {
	ID        id.ID            `json:"partnerId"`
	Name      string           `json:"name"`
	Version   int64            `json:"version"`
	Suspended bool             `json:"suspended"`
	Origins   []partner.Origin `json:"origins"`
	AllEvents bool             `json:"allEvents"`
	Events    []id.ID          `json:"events"`
}

func (o partnerOrder) print(w io.Writer, all ...partner.Partner) error {
	if o.asJSON {
		lines := make([]partnerLine, len(all))
		for i, p := range all {
			lines[i] = partnerLine{p.ID, p.Name, p.Version, p.Suspended, p.Origins, p.AllEvents, p.Events}
		}
		return json.NewEncoder(w).Encode(lines)
	}
	for _, p := range all {
		shows := fmt.Sprintf("%d events", len(p.Events))
		if p.AllEvents {
			shows = "all events"
		}
		if p.Suspended {
			shows += ", suspended"
		}
		if _, err := fmt.Fprintf(w, "%s  %s: %s\n", p.ID, p.Name, shows); err != nil {
			return err
		}
		for _, origin := range p.Origins {
			fmt.Fprintf(w, "    %s\n", origin)
		}
	}
	return nil
}

// actionsShown is how many lines of the audit the tool shows.
const actionsShown = 100

func (o partnerOrder) printActions(ctx context.Context, partners *db.Partners, w io.Writer) error {
	all, err := partners.Actions(ctx, 0, actionsShown)
	if err != nil {
		return err
	}
	if o.asJSON {
		return json.NewEncoder(w).Encode(all)
	}
	for _, a := range all {
		if _, err := fmt.Fprintf(w, "%s  %s %s by %s: %s\n    was    %s\n    became %s\n", a.At.Format(time.RFC3339), a.Verb, a.Partner, a.Who, a.Why, cmp.Or(a.Before, "nothing"), cmp.Or(a.After, "nothing")); err != nil {
			return err
		}
	}
	return nil
}
