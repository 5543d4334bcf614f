package seatmap

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"plateia/core/fault"
)

// MaxJSON is the size in bytes above which a chart's JSON is not read.
const MaxJSON = 64 << 20

// MarshalJSON writes [x, y].
func (p Point) MarshalJSON() ([]byte, error) { return json.Marshal([2]float32{p.X, p.Y}) }

// UnmarshalJSON reads [x, y].
func (p *Point) UnmarshalJSON(data []byte) error {
	var pair []float32
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("a point is [x, y]")
	}
	p.X, p.Y = pair[0], pair[1]
	return nil
}

// JSON is the chart for people and for storage: ParseJSON of it builds an equal chart.
func (c *Chart) JSON() []byte {
	data, err := json.Marshal(c.Spec())
	if err != nil {
		panic("seatmap: a built chart has only finite numbers and valid text: " + err.Error())
	}
	return data
}

// ParseJSON builds the chart that JSON wrote, or that a person wrote in the same
// form. The error is an Invalid fault.
func ParseJSON(data []byte) (*Chart, error) {
	s, err := ParseSpec(data)
	if err != nil {
		return nil, err
	}
	return Build(s)
}

// ParseSpec reads a spec without checking more than its form. Unknown members
// are refused: a misspelt "accessible" must not be lost.
func ParseSpec(data []byte) (Spec, error) {
	if len(data) > MaxJSON {
		return Spec{}, fault.New(fault.TooLarge, "the chart has %d bytes; at most %d are read", len(data), MaxJSON)
	}
	var s Spec
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return Spec{}, fault.Wrap(err, fault.Invalid, "the chart is not readable JSON: %s", clip(err.Error()))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Spec{}, fault.New(fault.Invalid, "the chart's JSON has something after its end")
	}
	return s, nil
}

// Spec is the description that Build makes this chart of.
func (c *Chart) Spec() Spec {
	focal := c.focal
	s := Spec{ID: c.id, Version: c.version, Name: c.name, Focal: &focal, Categories: c.cats, Shapes: c.shapes}
	for i := range c.sections {
		s.Sections = append(s.Sections, c.sectionSpec(i))
	}
	return s
}

func (c *Chart) sectionSpec(i int) SectionSpec {
	section := &c.sections[i]
	s := SectionSpec{Label: section.Label, Name: section.Name, Focal: c.focals[i], Outline: section.Outline}
	if section.General {
		s.Places, s.Category = int(section.To-section.From), section.Category
		return s
	}
	for _, row := range c.rows[section.RowFrom:section.RowTo] {
		r := RowSpec{Label: row.Label, Seats: make([]SeatSpec, 0, row.To-row.From)}
		for o := row.From; o < row.To; o++ {
			r.Seats = append(r.Seats, SeatSpec{
				Number: c.number[o], X: c.x[o], Y: c.y[o], Category: int(c.category[o]),
				Accessible: c.Accessible(o), Companion: c.Companion(o),
			})
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}
