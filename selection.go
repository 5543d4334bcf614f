package main

import (
	"slices"

	"plateia/core/fault"
	"plateia/core/seatmap"
)

// selection is seats of a chart as an operator names them: by label, or a section, or rows of it.
type selection struct {
	seats   []string
	section string
	rows    []string
}

// in finds the seats; every name must be there.
func (s selection) in(chart *seatmap.Chart) ([]seatmap.Ordinal, error) {
	if s.section == "" {
		return byLabel(chart, s.seats)
	}
	at := slices.IndexFunc(chart.Sections(), func(x seatmap.Section) bool { return x.Label == s.section })
	if at < 0 {
		return nil, fault.New(fault.NotFound, "the event has no section %q", s.section)
	}
	section := chart.Sections()[at]
	if len(s.rows) == 0 {
		return seatRun(nil, section.From, section.To), nil
	}
	var out []seatmap.Ordinal
	for _, label := range s.rows {
		rows := chart.Rows()[section.RowFrom:section.RowTo]
		i := slices.IndexFunc(rows, func(r seatmap.Row) bool { return r.Label == label })
		if i < 0 {
			return nil, fault.New(fault.NotFound, "section %s has no row %q", s.section, label)
		}
		out = seatRun(out, rows[i].From, rows[i].To)
	}
	return out, nil
}

func byLabel(chart *seatmap.Chart, labels []string) ([]seatmap.Ordinal, error) {
	out := make([]seatmap.Ordinal, 0, len(labels))
	for _, label := range labels {
		o, found := chart.Find(label)
		if !found {
			return nil, fault.New(fault.NotFound, "the event has no seat %q", label)
		}
		out = append(out, o)
	}
	return out, nil
}

func seatRun(out []seatmap.Ordinal, from, to seatmap.Ordinal) []seatmap.Ordinal {
	for o := from; o < to; o++ {
		out = append(out, o)
	}
	return out
}
