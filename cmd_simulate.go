package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"plateia/waitingroom/simulate"
)

// runSimulate runs a waiting room in virtual time.
func runSimulate(ctx context.Context, e env, args []string) error {
	if len(args) == 0 || args[0] != "queue" {
		return errUsage{"usage: plateia simulate queue [--fans N] [--minutes M] [--scenario NAME|list] [--picture FILE] [--json]"}
	}
	flags := newFlags(e, "simulate queue")
	o := simulate.Options{Fans: 1_000_000, Minutes: 60, Target: 10_000, Seed: 1}
	flags.IntVar(&o.Fans, "fans", o.Fans, "how `many` come")
	flags.IntVar(&o.Minutes, "minutes", o.Minutes, "`minutes` from the on-sale instant")
	flags.IntVar(&o.Target, "inside", o.Target, "`fans` inside at the same time")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "another `number`, other fans")
	name := flags.String("scenario", "normal", "what happens: a `name`, or \"list\"")
	picture := flags.String("picture", "", "write arrivals, frontier and occupancy to a `file`, as SVG")
	asJSON := flags.Bool("json", false, "as JSON")
	if err := flags.parse(args[1:]); err != nil {
		return err
	}
	if *name == "list" {
		return listScenarios(e.stdout)
	}
	scenario, err := simulate.Find(*name)
	if err != nil {
		return errUsage{"plateia simulate queue: " + err.Error()}
	}
	o.Scenario = scenario
	result, series, err := simulate.Run(ctx, o)
	if err != nil {
		return err
	}
	if *picture != "" {
		if err := writePicture(*picture, result, series); err != nil {
			return err
		}
	}
	if *asJSON {
		return json.NewEncoder(e.stdout).Encode(result)
	}
	return printSimulation(e.stdout, scenario, result)
}

func listScenarios(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range simulate.Scenarios() {
		fmt.Fprintf(table, "%s\t%s\n", s.Name, s.About)
	}
	return table.Flush()
}

func writePicture(name string, r simulate.Result, s simulate.Series) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(simulate.Picture(f, r, s), f.Close())
}

// printSimulation writes one line a figure: the figure, its name, what it means.
func printSimulation(w io.Writer, s simulate.Scenario, r simulate.Result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s: %s\n\n", s.Name, s.About)
	full := "from the draw to 95 % of the target"
	if r.FullAfterSeconds < 0 {
		full = "never at 95 % of the target"
	}
	for _, line := range []struct {
		value     float64
		name, how string
	}{
		{float64(r.Fans), "fans", fmt.Sprintf("%s before the sale, %s after", figure(float64(r.Lottery)), figure(float64(r.Late)))},
		{float64(r.Target), "inside", "the target"},
		{r.OccupancyMaxPct, "% at most", "of the target were inside"},
		{r.OccupancyMinFullPct, "% at least", "once full, without pauses and three minutes after them and after changes"},
		{float64(r.FullAfterSeconds), "s until full", full},
		{float64(r.RecoverySeconds), "s to recover", "to 95 % after the worst pause or change"},
		{float64(r.Called), "called", "tickets that the frontier has passed"},
		{float64(r.Admitted), "admitted", fmt.Sprintf("%s of them after they had missed their turn", figure(float64(r.SecondChance)))},
		{float64(r.AtDoorMax), "at the door", "at most, told \"one moment\""},
		{r.PositionErrorMax, "standard errors", "the worst place that was shown"},
		{r.RankUniformity, "uniformity", "probability of ranks as uneven as those of the admitted"},
		{r.OriginRequestsPerSecond, "requests/s", "for the frontier document at the origin"},
		{r.PollsPerSecondMax, "polls/s", "at the edge, at most"},
		{float64(r.DocumentBytesMax), "bytes", "the longest document"},
		{float64(r.SignaturesSampled), "signatures", "tickets that were really signed and verified; all other fans have none"},
	} {
		fmt.Fprintf(table, "%12s  %s\t%s\n", figure(line.value), line.name, line.how)
	}
	fmt.Fprintf(table, "\n%d minutes in %.1f s, log root %s…\n", r.Minutes, r.WallSeconds, r.LogRoot[:16])
	return table.Flush()
}
