package seatmap

import (
	"cmp"
	"io"
	"math"
	"slices"

	"plateia/core/fault"
	"plateia/core/id"
)

// MaxPlan is the size in bytes above which a plan file is not read.
const MaxPlan = 32 << 20

// ImportOptions say what the imported chart is to be.
type ImportOptions struct {
	ID      id.ID
	Version int    // 0: 1
	Name    string // empty: the plan's
	// Repair mends what can be mended instead of refusing: seats without an
	// identity of their own get one from their zone, block, row and number, and zones
	// drawn on top of each other are moved apart. Two seats never become one.
	Repair bool
}

// Report is what an import found. Problems refuse the plan, unless Repair mends
// them all. Each list has at most MaxProblems entries; the totals count all.
type Report struct {
	Seats         int       `json:"seats"`
	Problems      []Problem `json:"problems"`
	ProblemTotal  int       `json:"problemTotal"`
	Warnings      []Problem `json:"warnings"`
	WarningTotal  int       `json:"warningTotal"`
	Repairs       []Problem `json:"repairs"` // made, with Repair
	RepairTotal   int       `json:"repairTotal"`
	RepairOffered bool      `json:"repairOffered"` // Repair would mend every problem
}

// plan is a plan file as read, coordinates added up.
type plan struct {
	name       string
	categories []Category
	zones      []planZone
	seats      int

	problems problems // that Repair cannot mend
	mendable problems
	warnings problems
	repairs  problems
	unused   map[string]*unusedKey
}

type planZone struct {
	place string
	label string // zone_id, else name
	name  string
	rows  []planRow
	areas []planArea
	moved vec // away from a zone it was drawn on
}

type planRow struct {
	place string
	label string
	seats []planSeat
}

type planSeat struct {
	index    int // in the row of the file
	number   string
	guid     string
	at       vec
	category int
}

// ImportPretix reads a seating plan in pretix's JSON form and returns a spec that
// Build accepts. The report is filled as far as reading came, also with an
// error, which is an Invalid (or TooLarge) fault with Details["problems"],
// ["total"] and ["repairOffered"].
func ImportPretix(r io.Reader, opts ImportOptions) (Spec, Report, error) {
	p, err := readPlan(r)
	if err != nil {
		return Spec{}, Report{Problems: []Problem{{Text: fault.From(err).Text}}, ProblemTotal: 1}, err
	}
	p.findDuplicates()
	p.findStacked()
	if p.problems.total > 0 || p.mendable.total > 0 && !opts.Repair {
		return Spec{}, p.report(), p.refusal()
	}
	s := p.spec(opts)
	if _, err := Build(s); err != nil {
		list, _ := fault.From(err).Details["problems"].([]Problem)
		for _, problem := range list {
			p.problems.add(problem.Place, "%s", problem.Text)
		}
		return Spec{}, p.report(), p.refusal()
	}
	return s, p.report(), nil
}

func (p *plan) report() Report {
	all := p.all()
	return Report{
		Seats: p.seats, Problems: all.list, ProblemTotal: all.total,
		Warnings: p.warnings.list, WarningTotal: p.warnings.total,
		Repairs: p.repairs.list, RepairTotal: p.repairs.total,
		RepairOffered: p.problems.total == 0 && p.mendable.total > 0,
	}
}

// all lists what cannot be mended first.
func (p *plan) all() problems {
	list := slices.Concat(p.problems.list, p.mendable.list)
	return problems{list: list[:min(len(list), MaxProblems)], total: p.problems.total + p.mendable.total}
}

func (p *plan) refusal() error {
	all, report := p.all(), p.report()
	err := fault.From(all.err("the plan"))
	if report.RepairOffered {
		err = fault.New(err.Code, "%s (all of them can be repaired: import again with repair)", err.Text).
			With("problems", all.list).With("total", all.total)
	}
	return err.With("repairOffered", report.RepairOffered)
}

// spec makes sections of the zones. It relies on there being nothing left that cannot be mended.
func (p *plan) spec(opts ImportOptions) Spec {
	s := Spec{ID: opts.ID, Version: max(opts.Version, 1), Name: cmp.Or(opts.Name, p.name), Categories: p.categories}
	pitch := p.pitch()
	focal := p.focal()
	s.Focal = &Point{roundTo(focal.x, 0.001), roundTo(focal.y, 0.001)}
	p.separate(pitch, opts.Repair)
	labels := map[string]bool{}
	for i := range p.zones {
		s.Sections = append(s.Sections, p.sections(&p.zones[i], focal, pitch, labels)...)
	}
	s.Shapes = p.shapes()
	return s
}

// pitch is the median distance of seats that follow each other; 1 when there is none.
func (p *plan) pitch() float64 {
	var gaps []float64
	for _, zone := range p.zones {
		for _, row := range zone.rows {
			for i := 1; i < len(row.seats); i++ {
				if d := length(minus(row.seats[i].at, row.seats[i-1].at)); d > 0 {
					gaps = append(gaps, d)
				}
			}
		}
	}
	return cmp.Or(median(gaps), 1)
}

// findDuplicates reports seats that share a guid, or zone, row and number.
func (p *plan) findDuplicates() {
	type spot struct{ zone, row, number string }
	guids, spots := map[string]string{}, map[spot]string{}
	for z := range p.zones {
		zone := &p.zones[z]
		for r := range zone.rows {
			row := &zone.rows[r]
			for i := range row.seats {
				seat := &row.seats[i]
				place := seat.place(row)
				if first, twice := guids[seat.guid]; twice && seat.guid != "" {
					p.mendable.add(place, "has the seat_guid %q of %s", clip(seat.guid), first)
				} else {
					guids[seat.guid] = place
				}
				at := spot{zone.label, row.label, seat.number}
				if first, twice := spots[at]; twice {
					p.mendable.add(place, "is zone %q, row %q, seat %q as is %s", clip(zone.label), clip(row.label), clip(seat.number), first)
				} else {
					spots[at] = place
				}
			}
		}
	}
}

// findStacked reports seats of one zone in the very same spot: a fan could not
// choose between them. Zones on top of each other, as floors are, are left to separate.
func (p *plan) findStacked() {
	const apart = 1e-3 // of the plan's units; other programs' sums are noisy
	for z := range p.zones {
		spots := map[[2]int64]string{}
		for r := range p.zones[z].rows {
			row := &p.zones[z].rows[r]
			for i := range row.seats {
				seat := &row.seats[i]
				spot := [2]int64{int64(math.Round(seat.at.x / apart)), int64(math.Round(seat.at.y / apart))}
				place := seat.place(row)
				if first, taken := spots[spot]; taken {
					p.problems.add(place, "is in the same spot as %s", first)
				} else {
					spots[spot] = place
				}
			}
		}
	}
}
