package seatmap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"plateia/core/fault"
)

// maxPlanText leaves room in a label for what a repair adds.
const maxPlanText = 60

// The keys of the form; others are reported once each.
var planKeys = map[string][]string{
	"plan":     {"name", "categories", "zones", "size"},
	"category": {"name", "color"},
	"zone":     {"name", "zone_id", "uuid", "position", "rows", "areas"},
	"row":      {"row_number", "row_number_position", "uuid", "position", "seats"},
	"seat":     {"seat_number", "seat_guid", "uuid", "position", "category", "radius"},
	"area": {"shape", "color", "border_color", "rotation", "uuid", "position", "text",
		"rectangle", "circle", "ellipse", "polygon"},
}

type unusedKey struct {
	kind, key, place string
	times            int
}

// readPlan refuses what is not JSON; everything else becomes problems of the plan.
func readPlan(r io.Reader) (*plan, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxPlan+1))
	switch {
	case err != nil:
		return nil, fault.Wrap(err, fault.Invalid, "the plan cannot be read: %s", clip(err.Error()))
	case len(data) > MaxPlan:
		return nil, fault.New(fault.TooLarge, "the plan is longer than %d bytes", MaxPlan)
	case !utf8.Valid(data): // the decoder would put question marks in names
		return nil, fault.New(fault.Invalid, "the plan is not UTF-8")
	}
	if valuesIn(data) > maxPlanValues {
		return nil, fault.New(fault.TooLarge, "the plan says more than a chart may have")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var root any
	err = decoder.Decode(&root)
	if err == nil {
		if _, err = decoder.Token(); err == nil {
			err = errors.New("something follows its end")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the plan is not JSON (NaN and Infinity are not either): %s", clip(err.Error()))
	}
	p := &plan{unused: map[string]*unusedKey{}}
	p.read(root)
	p.warnUnused()
	return p, nil
}

// maxPlanValues is how many values a plan may have: a seat has about a dozen. A short value costs the decoder a
// hundred times its length in memory, so that the length of the file alone bounds little.
const maxPlanValues = 15 * MaxSeats

// valuesIn counts the values of JSON without reading it: each begins after a comma or a bracket outside of texts.
func valuesIn(data []byte) (values int) {
	inText := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			inText = !inText
		case inText && c == '\\':
			i++
		case !inText && (c == ',' || c == '{' || c == '['):
			values++
		}
	}
	return values
}

func (p *plan) read(root any) {
	object := p.object("plan", "the plan", root)
	if object == nil {
		return
	}
	if p.name = tidy(text(object["name"])); p.name == "" {
		p.name = "Plan"
	}
	categories := p.list("categories", object["categories"])
	if len(categories) > MaxCategories {
		p.problems.add("categories", "must be at most %d, are %d", MaxCategories, len(categories))
		return // whatever looks for a category or a zone looks through all of them
	}
	for i, value := range categories {
		p.readCategory(fmt.Sprintf("categories[%d]", i), value)
	}
	zones := p.list("zones", object["zones"])
	if len(zones) > MaxSections {
		p.problems.add("zones", "must be at most %d, are %d", MaxSections, len(zones))
		return
	}
	for i, value := range zones {
		if p.seats > MaxSeats {
			break // Build refuses it; the rest need not be read
		}
		p.readZone(fmt.Sprintf("zones[%d]", i), i, value)
	}
	if p.seats == 0 && p.problems.total == 0 {
		p.problems.add("zones", "have no seats")
	}
}

func (p *plan) readCategory(place string, value any) {
	object := p.object("category", place, value)
	name, color := tidy(text(object["name"])), text(object["color"])
	if name == "" {
		p.problems.add(place, "has no name")
	}
	if p.category(name) >= 0 {
		p.problems.add(place, "%q is there twice", clip(name))
	}
	if !colorPattern.MatchString(color) {
		p.warnings.add(place, "has the color %q; grey is used", clip(color))
		color = "#888888"
	}
	p.categories = append(p.categories, Category{Key: name, Name: name, Color: strings.ToLower(color)})
}

func (p *plan) category(name string) int {
	return slices.IndexFunc(p.categories, func(c Category) bool { return c.Name == name })
}

func (p *plan) readZone(place string, index int, value any) {
	object := p.object("zone", place, value)
	if object == nil {
		return
	}
	zone := planZone{name: tidy(text(object["name"])), label: tidy(text(object["zone_id"]))}
	if zone.label == "" {
		zone.label = strings.ReplaceAll(zone.name, " ", "")
	}
	if zone.label == "" {
		p.mendable.add(place, "has neither zone_id nor name")
		zone.label = "Z" + strconv.Itoa(index+1)
	}
	if zone.name == "" {
		zone.name = zone.label
	}
	if slices.ContainsFunc(p.zones, func(z planZone) bool { return z.label == zone.label }) {
		p.mendable.add(place, "has the name of another zone, %q", clip(zone.label))
	}
	zone.place = fmt.Sprintf("%s %q", place, clip(zone.name))
	origin := p.position(zone.place, object["position"])
	for i, value := range p.list(zone.place+" rows", object["rows"]) {
		p.readRow(&zone, i, value, origin)
	}
	if areas, there := object["areas"]; there {
		for i, value := range p.list(zone.place+" areas", areas) {
			p.readArea(&zone, fmt.Sprintf("%s areas[%d]", zone.place, i), value, origin)
		}
	}
	p.zones = append(p.zones, zone)
}

// readRow adds the row's position to the zone's: rows do not accumulate.
func (p *plan) readRow(zone *planZone, index int, value any, origin vec) {
	place := fmt.Sprintf("%s rows[%d]", zone.place, index)
	object := p.object("row", place, value)
	if object == nil {
		return
	}
	row := planRow{label: tidy(text(object["row_number"]))}
	if row.label == "" {
		p.mendable.add(place, "has no row_number")
		row.label = "R" + strconv.Itoa(index+1)
	}
	row.place = fmt.Sprintf("%s %q", place, clip(row.label))
	origin = plus(origin, p.position(row.place, object["position"]))
	seats := p.list(row.place+" seats", object["seats"])
	if p.seats += len(seats); p.seats > MaxSeats {
		p.problems.add(row.place, "is beyond the %d seats a chart may have", MaxSeats)
		return
	}
	for i, value := range seats {
		p.readSeat(&row, i, value, origin)
	}
	if len(row.seats) > 0 {
		zone.rows = append(zone.rows, row)
	}
}

func (p *plan) readSeat(row *planRow, index int, value any, origin vec) {
	seat := planSeat{index: index}
	place := seat.place(row)
	object := p.object("seat", place, value)
	if object == nil {
		return
	}
	seat.number = tidy(text(object["seat_number"]))
	if seat.number == "" {
		p.mendable.add(place, "has no seat_number")
		seat.number = "S" + strconv.Itoa(index+1)
	}
	if seat.guid = text(object["seat_guid"]); seat.guid == "" {
		p.mendable.add(seat.place(row), "has no seat_guid")
	}
	name := tidy(text(object["category"]))
	if seat.category = p.category(name); seat.category < 0 {
		p.problems.add(seat.place(row), "has the unknown category %q", clip(name))
	}
	seat.at = plus(origin, p.position(seat.place(row), object["position"]))
	if !reasonable(seat.at.x) || !reasonable(seat.at.y) {
		p.problems.add(seat.place(row), "adds up to a place beyond ±%.0f", float64(MaxCoordinate))
	}
	if radius, there := object["radius"]; there {
		p.number(seat.place(row)+" radius", radius)
	}
	row.seats = append(row.seats, seat)
}

// place names the seat for people.
func (s *planSeat) place(row *planRow) string {
	if s.number == "" {
		return fmt.Sprintf("%s seats[%d]", row.place, s.index)
	}
	return fmt.Sprintf("%s seats[%d] %q", row.place, s.index, clip(s.number))
}

// position is {x, y}; both must be there.
func (p *plan) position(place string, value any) vec {
	object, fine := value.(map[string]any)
	if !fine {
		p.problems.add(place, "has no position")
		return vec{}
	}
	return vec{p.number(place+" position x", object["x"]), p.number(place+" position y", object["y"])}
}

// number is a finite number within MaxCoordinate; the noise of other programs' sums is kept.
func (p *plan) number(place string, value any) float64 {
	n, fine := value.(json.Number)
	if !fine {
		p.problems.add(place, "must be a number, is %s", clip(fmt.Sprint(value)))
		return 0
	}
	v, err := n.Float64()
	if err != nil || !reasonable(v) {
		p.problems.add(place, "must be within ±%.0f, is %s", float64(MaxCoordinate), clip(n.String()))
		return 0
	}
	return v
}

func reasonable(v float64) bool { return math.Abs(v) <= MaxCoordinate } // false for NaN

// object is nil, and a problem, for anything else.
func (p *plan) object(kind, place string, value any) map[string]any {
	object, fine := value.(map[string]any)
	if !fine {
		p.problems.add(place, "must be an object")
		return nil
	}
	for key := range object {
		if !slices.Contains(planKeys[kind], key) {
			p.noteUnused(kind, key, place)
		}
	}
	return object
}

func (p *plan) list(place string, value any) []any {
	list, fine := value.([]any)
	if !fine {
		p.problems.add(place, "must be a list")
	}
	return list
}

func (p *plan) noteUnused(kind, key, place string) {
	name := kind + "\x00" + key
	if p.unused[name] == nil {
		if len(p.unused) >= 10*MaxProblems {
			return
		}
		p.unused[name] = &unusedKey{kind: kind, key: key, place: place}
	}
	p.unused[name].times++
}

func (p *plan) warnUnused() {
	names := make([]string, 0, len(p.unused))
	for name := range p.unused {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		u := p.unused[name]
		p.warnings.add(u.place, "the key %q of a %s is not used (%d times)", clip(u.key), u.kind, u.times)
	}
}

// text is the value of a string or a number, which some programs write for seats; "" for others.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// tidy makes any text fit for a label: printable, single spaces, bounded.
func tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxPlanText {
		s = strings.TrimSpace(strings.ToValidUTF8(s[:maxPlanText], ""))
	}
	return s
}

func plus(a, b vec) vec { return vec{a.x + b.x, a.y + b.y} }
