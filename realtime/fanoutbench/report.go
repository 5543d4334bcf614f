package fanoutbench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Figures of one contender.
type Figures struct {
	Viewers                 int     `json:"viewers"`
	RSSPerViewerBytes       int64   `json:"rssPerViewerBytes"`       // growth of the gateways by connecting, at rest
	CPUPerFrameMicros       float64 `json:"cpuPerFrameMicros"`       // of the gateways, user and system, for each delivered frame
	AllViewersP50Ms         float64 `json:"allViewersP50Ms"`         // one change after quiet, until the last viewer's kernel has it
	DeltaP50Ms              float64 `json:"deltaP50Ms"`              // from commit of a frame's oldest change to the viewer's kernel, at the rate
	DeltaP99Ms              float64 `json:"deltaP99Ms"`              // the same
	FramesPerSecond         float64 `json:"framesPerSecond"`         // delivered at the rate
	Dropped                 int64   `json:"dropped"`                 // viewers that lost their connection, and frames missing at others
	BytesPerViewerPerSecond float64 `json:"bytesPerViewerPerSecond"` // at the rate, with WebSocket headers
	// What the viewers' processes, which have the lowest priority, needed to read it as well.
	AllViewersReadP50Ms float64 `json:"allViewersReadP50Ms"`
	DeltaReadP50Ms      float64 `json:"deltaReadP50Ms"`
	DeltaReadP99Ms      float64 `json:"deltaReadP99Ms"`
	// SummaryP99Ms is DeltaP99Ms of viewers who look from afar.
	SummaryP99Ms float64 `json:"summaryP99Ms,omitempty"`
}

// Report of a run.
type Report struct {
	Figures
	Centrifugo *Figures `json:"centrifugo,omitempty"`
	Ratios     *Ratios  `json:"ratios,omitempty"`
}

// Ratios are ours over Centrifugo's.
type Ratios struct {
	RSSPerViewer float64 `json:"rssPerViewer"`
	CPUPerFrame  float64 `json:"cpuPerFrame"`
	AllViewers   float64 `json:"allViewers"`
}

func (r *run) report() Report {
	report := Report{Figures: r.contenders[0].figures()}
	if len(r.contenders) > 1 {
		theirs := r.contenders[1].figures()
		report.Centrifugo = &theirs
		report.Ratios = &Ratios{
			RSSPerViewer: ratio(float64(report.RSSPerViewerBytes), float64(theirs.RSSPerViewerBytes)),
			CPUPerFrame:  ratio(report.CPUPerFrameMicros, theirs.CPUPerFrameMicros),
			AllViewers:   ratio(report.AllViewersP50Ms, theirs.AllViewersP50Ms),
		}
	}
	return report
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func (c *contender) figures() Figures {
	viewers, seconds := c.run.o.Viewers, c.stream.elapsed.Seconds()
	frames := c.single.tally.Frames + c.stream.tally.Frames
	f := Figures{
		Viewers: viewers, RSSPerViewerBytes: c.connected.RSS / int64(max(viewers, 1)), AllViewersP50Ms: median(c.rounds),
		CPUPerFrameMicros: ratio(float64((c.single.usage.CPU + c.stream.usage.CPU).Microseconds()), float64(frames)),
		DeltaP50Ms:        c.stream.tally.Latency.quantile(.5), DeltaP99Ms: c.stream.tally.Latency.quantile(.99),
		AllViewersReadP50Ms: median(c.read),
		DeltaReadP50Ms:      c.stream.tally.LatencyRead.quantile(.5), DeltaReadP99Ms: c.stream.tally.LatencyRead.quantile(.99),
		SummaryP99Ms:            c.stream.tally.Summary.quantile(.99),
		FramesPerSecond:         ratio(float64(c.stream.tally.Frames), seconds),
		Dropped:                 int64(c.lost) + c.single.tally.Gaps + c.stream.tally.Gaps,
		BytesPerViewerPerSecond: ratio(float64(c.stream.tally.Bytes), seconds*float64(viewers)),
	}
	return f
}

// Print writes the report as a table.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(what, format string, get func(Figures) any) {
		fmt.Fprintf(t, "%s\t"+format, what, get(r.Figures))
		if r.Centrifugo != nil {
			fmt.Fprintf(t, "\t"+format, get(*r.Centrifugo))
		}
		fmt.Fprintln(t)
	}
	fmt.Fprint(t, "\tPlateia")
	if r.Centrifugo != nil {
		fmt.Fprint(t, "\tCentrifugo")
	}
	fmt.Fprintln(t)
	row("viewers", "%d", func(f Figures) any { return f.Viewers })
	row("resident memory per idle viewer, bytes", "%d", func(f Figures) any { return f.RSSPerViewerBytes })
	row("CPU per delivered frame, µs", "%.2f", func(f Figures) any { return f.CPUPerFrameMicros })
	row("one change, the last viewer has it, median ms", "%.0f", func(f Figures) any { return f.AllViewersP50Ms })
	row("one change, the last viewer has read it, median ms", "%.0f", func(f Figures) any { return f.AllViewersReadP50Ms })
	row("change to frame at the rate, p50 ms", "%.0f", func(f Figures) any { return f.DeltaP50Ms })
	row("change to frame at the rate, p99 ms", "%.0f", func(f Figures) any { return f.DeltaP99Ms })
	row("change to frame read at the rate, p50 ms", "%.0f", func(f Figures) any { return f.DeltaReadP50Ms })
	row("change to frame read at the rate, p99 ms", "%.0f", func(f Figures) any { return f.DeltaReadP99Ms })
	if r.SummaryP99Ms > 0 {
		row("change to summary at the rate, p99 ms", "%.0f", func(f Figures) any { return f.SummaryP99Ms })
	}
	row("frames/s at the rate", "%.0f", func(f Figures) any { return f.FramesPerSecond })
	row("dropped", "%d", func(f Figures) any { return f.Dropped })
	row("bytes per viewer and second at the rate", "%.0f", func(f Figures) any { return f.BytesPerViewerPerSecond })
	if r.Ratios != nil {
		fmt.Fprintf(t, "ours over Centrifugo's: memory %.2f, CPU per frame %.2f, last viewer %.2f\n", r.Ratios.RSSPerViewer, r.Ratios.CPUPerFrame, r.Ratios.AllViewers)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("fanoutbench: %w", err)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
