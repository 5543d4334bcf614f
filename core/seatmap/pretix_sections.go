package seatmap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// blockGap is how near, in seat pitches, two rows of one block come to each other.
const blockGap = 1.6

// sections makes one section of a zone; or, when seats of the zone share row
// and number, one of each block of rows that stand together.
func (p *plan) sections(zone *planZone, focal vec, pitch float64, labels map[string]bool) []SectionSpec {
	if len(zone.rows) == 0 {
		return nil
	}
	var parts [][]planRow
	if !repeats(zone.rows) {
		parts = [][]planRow{zone.rows}
	} else {
		for _, block := range blocks(zone.rows, pitch) {
			parts = append(parts, p.unrepeat(block)...)
		}
		clockwise(parts, plus(focal, zone.moved))
	}
	sections := make([]SectionSpec, 0, len(parts))
	for i, rows := range parts {
		label, name := zone.label, zone.name
		if len(parts) > 1 {
			label, name = fmt.Sprintf("%s-%d", label, i+1), fmt.Sprintf("%s %d", name, i+1)
		}
		if free := freeLabel(label, labels); free != label {
			p.repairs.add(zone.place, "the section is called %s, as there is another %s", free, label)
			label = free
		}
		labels[label] = true
		section := SectionSpec{Label: label, Name: name, Rows: joinRows(rows, pitch)}
		if zone.moved != (vec{}) {
			at := plus(focal, zone.moved)
			section.Focal = &Point{roundTo(at.x, 0.001), roundTo(at.y, 0.001)}
		}
		sections = append(sections, section)
	}
	if len(parts) > 1 {
		p.repairs.add(zone.place, "has been made %d sections, %s to %s, one of each block of rows, as its seats share rows and numbers",
			len(parts), sections[0].Label, sections[len(sections)-1].Label)
	}
	return sections
}

func freeLabel(label string, taken map[string]bool) string {
	free := label
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s.%d", label, n)
	}
	return free
}

type rowNumber struct{ row, number string }

// repeats reports whether two seats share row and number.
func repeats(rows []planRow) bool {
	seen := map[rowNumber]bool{}
	for _, row := range rows {
		for _, seat := range row.seats {
			at := rowNumber{row.label, seat.number}
			if seen[at] {
				return true
			}
			seen[at] = true
		}
	}
	return false
}

// blocks groups rows that come near each other, directly or through others, in
// the order of the file.
func blocks(rows []planRow, pitch float64) [][]planRow {
	parent := make([]int, len(rows))
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	near := newGrid(blockGap * pitch)
	for i, row := range rows {
		for _, seat := range row.seats {
			near.each(seat.at, func(other int) {
				a, b := root(i), root(other)
				parent[max(a, b)] = min(a, b)
			})
			near.add(seat.at, i)
		}
	}
	index := map[int]int{}
	var groups [][]planRow
	for i, row := range rows {
		r := root(i)
		if _, known := index[r]; !known {
			index[r] = len(groups)
			groups = append(groups, nil)
		}
		groups[index[r]] = append(groups[index[r]], row)
	}
	return groups
}

// unrepeat parts a block whose rows still share labels and numbers, in the order of
// the file; seats that share a number within one row get numbers of their own.
func (p *plan) unrepeat(rows []planRow) [][]planRow {
	var parts [][]planRow
	var taken []map[rowNumber]bool
	for _, row := range rows {
		row = p.renumber(row)
		fits := slices.IndexFunc(taken, func(seen map[rowNumber]bool) bool {
			return !slices.ContainsFunc(row.seats, func(s planSeat) bool { return seen[rowNumber{row.label, s.number}] })
		})
		if fits < 0 {
			fits = len(parts)
			parts, taken = append(parts, nil), append(taken, map[rowNumber]bool{})
		}
		parts[fits] = append(parts[fits], row)
		for _, seat := range row.seats {
			taken[fits][rowNumber{row.label, seat.number}] = true
		}
	}
	return parts
}

func (p *plan) renumber(row planRow) planRow {
	taken := map[string]bool{}
	for _, seat := range row.seats {
		taken[seat.number] = true
	}
	seen := map[string]bool{}
	seats := slices.Clone(row.seats)
	for i := range seats {
		old := seats[i].number
		if seen[old] {
			seats[i].number = freeLabel(old, taken)
			taken[seats[i].number] = true
			p.repairs.add(seats[i].place(&row), "is now number %s, as its row has another %s", seats[i].number, old)
		}
		seen[old] = true
	}
	row.seats = seats
	return row
}

// clockwise sorts blocks by where their middle is, from above the focal point on.
func clockwise(parts [][]planRow, focal vec) {
	angle := func(rows []planRow) float64 {
		var sum vec
		n := 0.0
		for _, row := range rows {
			for _, seat := range row.seats {
				sum = plus(sum, seat.at)
				n++
			}
		}
		a := math.Atan2(sum.x/n-focal.x, focal.y-sum.y/n) // 0 is up, growing clockwise
		if a < -math.Pi/16 {
			a += 2 * math.Pi // blocks straight above come first even when a little to the left
		}
		return a
	}
	slices.SortStableFunc(parts, func(a, b []planRow) int { return cmp.Compare(angle(a), angle(b)) })
}

// joinRows puts the pieces of a row that the file has apart together again, in the
// order of the file.
func joinRows(rows []planRow, pitch float64) []RowSpec {
	index := map[string]int{}
	var joined []planRow
	for _, row := range rows {
		i, known := index[row.label]
		if !known {
			index[row.label] = len(joined)
			joined = append(joined, planRow{label: row.label, seats: slices.Clone(row.seats)})
			continue
		}
		joined[i].seats = append(joined[i].seats, row.seats...)
	}
	specs := make([]RowSpec, len(joined))
	step := math.Pow(10, math.Floor(math.Log10(max(pitch, 1e-3)/50)))
	for i, row := range joined {
		specs[i] = RowSpec{Label: row.label}
		for _, seat := range inOrder(row.seats) {
			specs[i].Seats = append(specs[i].Seats, SeatSpec{
				Number: seat.number, Category: seat.category,
				X: roundTo(seat.at.x, step), Y: roundTo(seat.at.y, step),
			})
		}
	}
	return specs
}

// inOrder keeps the order of the file when it follows the row, else it sorts the
// seats along the line from one end of the row to the other.
func inOrder(seats []planSeat) []planSeat {
	if len(seats) < 3 {
		return seats
	}
	end := farthest(seats, seats[0].at)
	start := farthest(seats, end)
	along := minus(end, start)
	sorted := slices.Clone(seats)
	slices.SortStableFunc(sorted, func(a, b planSeat) int { return cmp.Compare(dot(a.at, along), dot(b.at, along)) })
	if walked(seats) <= 1.05*walked(sorted) {
		return seats
	}
	return sorted
}

func farthest(seats []planSeat, from vec) vec {
	far := seats[0].at
	for _, seat := range seats {
		if length(minus(seat.at, from)) > length(minus(far, from)) {
			far = seat.at
		}
	}
	return far
}

func walked(seats []planSeat) float64 {
	sum := 0.0
	for i := 1; i < len(seats); i++ {
		sum += length(minus(seats[i].at, seats[i-1].at))
	}
	return sum
}

// grid finds what is near a point.
type grid struct {
	size  float64
	cells map[[2]int][]gridEntry
}

type gridEntry struct {
	at    vec
	value int
}

func newGrid(size float64) *grid { return &grid{size, map[[2]int][]gridEntry{}} }

func (g *grid) cell(at vec) [2]int {
	const far = 1 << 40 // where a tiny size makes the quotient overflow
	clamp := func(v float64) int { return int(math.Floor(min(max(v, -far), far))) }
	return [2]int{clamp(at.x / g.size), clamp(at.y / g.size)}
}

// crowd is the most entries kept of one cell: a grid only has to find whether
// something is near, and a plan with everything in one spot must not cost a square.
const crowd = 64

func (g *grid) add(at vec, value int) {
	cell := g.cell(at)
	entries := g.cells[cell]
	if len(entries) >= crowd {
		return
	}
	g.cells[cell] = append(entries, gridEntry{at, value})
}

// each visits the entries within size of a point.
func (g *grid) each(at vec, visit func(value int)) {
	cell := g.cell(at)
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for _, entry := range g.cells[[2]int{cell[0] + dx, cell[1] + dy}] {
				if length(minus(entry.at, at)) <= g.size {
					visit(entry.value)
				}
			}
		}
	}
}
