package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"plateia/core/sizing"
)

// runPlan prints what an on-sale will ask of an installation.
func runPlan(_ context.Context, e env, args []string) error {
	flags := newFlags(e, "plan")
	o := sizing.Default()
	flags.Int64Var(&o.Fans, "fans", o.Fans, "how `many` come")
	flags.Int64Var(&o.Seats, "seats", o.Seats, "`seats` on sale")
	flags.Var((*span)(&o.Arrival), "arrival", "the fans come evenly over this `time`")
	flags.Float64Var(&o.PerOrder, "per-order", o.PerOrder, "`seats` of an average order")
	flags.Var((*span)(&o.Checkout), "checkout", "the `time` a fan stays inside on average")
	flags.Int64Var(&o.Inside, "inside", o.Inside, "`fans` inside at the same time")
	flags.Float64Var(&o.Conversion, "conversion", o.Conversion, "`share` of those let in who buy, up to 1")
	flags.Var((*span)(&o.Poll), "poll", "the `time` between two questions of a waiting page")
	flags.Float64Var(&o.PageKB, "page-kb", o.PageKB, "`kB` of a fan's first page")
	flags.Var((*span)(&o.ProviderLatency), "provider-latency", "the `time` a payment takes at the provider")
	asJSON := flags.Bool("json", false, "as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	plan, err := sizing.Make(o)
	if err != nil {
		return errUsage{"plateia plan: that is no on-sale:\n" + indent(err.Error())}
	}
	if *asJSON {
		out := json.NewEncoder(e.stdout)
		out.SetIndent("", "  ")
		return out.Encode(plan.Rounded())
	}
	return printPlan(e.stdout, o, plan.Rounded())
}

// printPlan writes one line a figure: the figure, its name, where it comes from.
func printPlan(w io.Writer, o sizing.OnSale, p sizing.Plan) error {
	selling, admits := "minutes to sell out", "until everything is sold"
	if !p.SellsOut {
		selling, admits = "minutes until all were in", "everybody: it does not sell out"
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s fans within %v for %s seats\n\n", figure(float64(o.Fans)), o.Arrival, figure(float64(o.Seats)))
	for _, line := range []struct {
		value     float64
		name, how string
	}{
		{float64(p.Orders), "orders", fmt.Sprintf("of %g seats", o.PerOrder)},
		{p.JoinsPerSecond, "joins/s", "while the fans come"},
		{p.RequestsPerSecond, "requests/s without a queue", fmt.Sprintf("%d requests a visit", sizing.RequestsPerVisit)},
		{p.PollsPerSecond, "polls/s", fmt.Sprintf("if everyone asked the origin every %v", o.Poll)},
		{p.AdmitsPerSecond, "admits/s", fmt.Sprintf("%s inside for %v each (Little's law)", figure(p.Inside), o.Checkout)},
		{float64(p.Admits), "admits", admits + fmt.Sprintf(", %g of them buy", o.Conversion)},
		{p.Minutes, selling, "admits over admits/s"},
		{p.OrdersPerSecond, "orders/s", "those of the let in who buy"},
		{p.PaymentsInFlight, "payments in flight", fmt.Sprintf("the provider takes %v", o.ProviderLatency)},
		{p.MapRequestsPerSecond, "map requests/s", "at the edge, were there no live sockets: one a second from everyone inside"},
		{p.EdgeGB, "edge GB", "of which"},
		{p.EdgePagesGB, "  pages", fmt.Sprintf("%g kB a fan", o.PageKB)},
		{p.EdgeStatusGB, "  place in the line", fmt.Sprintf("%g kB an answer, every %v while waiting", sizing.StatusKB, o.Poll)},
		{p.EdgeMapGB, "  maps", fmt.Sprintf("%g bytes a seat for everyone let in", sizing.MapBytesPerSeat)},
		{p.InventoryMB, "inventory MB", fmt.Sprintf("in the database: %d bytes a seat, %d an order", sizing.SeatBytes, sizing.OrderBytes)},
		{p.InventoryMemoryMB, "  in memory", fmt.Sprintf("of each process: %g bytes a seat", sizing.SeatMemoryBytes)},
	} {
		fmt.Fprintf(table, "%12s  %s\t%s\n", figure(line.value), line.name, line.how)
	}
	return table.Flush()
}

// figure writes a number with commas between thousands.
func figure(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	whole, rest, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}

// span is a time on the command line: "2m", "1.5s", or plain seconds.
type span time.Duration

func (s *span) String() string { return time.Duration(*s).String() }

// Set implements flag.Value.
func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		seconds, numErr := strconv.ParseFloat(text, 64)
		if numErr != nil || math.IsNaN(seconds) || math.Abs(seconds) > 1e9 {
			return fmt.Errorf("%q is no time such as 90s, 2m or 300", text)
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	*s = span(d)
	return nil
}
