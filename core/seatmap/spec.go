package seatmap

import (
	"fmt"

	"plateia/core/fault"
	"plateia/core/id"
)

// Limits of a chart. They bound the memory and time a spec can cost.
const (
	MaxSeats      = 200_000
	MaxSections   = 4_096
	MaxRows       = 60_000
	MaxCategories = 64
	MaxShapes     = 1_000
	MaxPoints     = 2_000 // of one outline or shape
	MaxText       = 100   // bytes of a label, name or number
	MaxCoordinate = 1e6
	MaxProblems   = 50 // reported at once
)

// Spec describes a chart in plain data. Ordinals follow its order, so within a
// row seats stand in physical order, from either end.
type Spec struct {
	ID         id.ID         `json:"chartId"`
	Version    int           `json:"version"`
	Name       string        `json:"name"`
	Focal      *Point        `json:"focal,omitempty"` // nil: the middle of all seats
	Categories []Category    `json:"categories"`
	Sections   []SectionSpec `json:"sections"`
	Shapes     []Shape       `json:"shapes,omitempty"`
}

// SectionSpec is a block of rows; or, with Places, a general-admission area.
type SectionSpec struct {
	Label    string    `json:"label"`
	Name     string    `json:"name,omitempty"`     // empty: the label
	Focal    *Point    `json:"focal,omitempty"`    // nil: the chart's
	Outline  []Point   `json:"outline,omitempty"`  // empty: computed; a general-admission area needs one
	Rows     []RowSpec `json:"rows,omitempty"`     // empty for general admission
	Places   int       `json:"places,omitempty"`   // general admission: how many people
	Category int       `json:"category,omitempty"` // general admission: of every place
}

// RowSpec is a row of seats in physical order.
type RowSpec struct {
	Label string     `json:"label"`
	Seats []SeatSpec `json:"seats"`
}

// SeatSpec is one seat.
type SeatSpec struct {
	Number     string  `json:"number"`
	X          float32 `json:"x"`
	Y          float32 `json:"y"`
	Category   int     `json:"category,omitempty"`
	Accessible bool    `json:"accessible,omitempty"`
	Companion  bool    `json:"companion,omitempty"`
}

// Shape is drawn but not sold.
type Shape struct {
	Role   Role    `json:"role"`
	Label  string  `json:"label,omitempty"` // written in its middle
	Color  string  `json:"color,omitempty"` // #rrggbb; empty: the page's choice
	Points []Point `json:"points"`
}

// Role says how a shape is drawn.
type Role string

const (
	RoleStage Role = "stage" // closed and filled: where the show is
	RolePitch Role = "pitch" // closed and filled: a field of play
	RoleArea  Role = "area"  // closed and filled: anything else
	RoleLine  Role = "line"  // open
	RoleText  Role = "text"  // one point
)

// Problem is one thing wrong with a spec or a plan file, and where.
type Problem struct {
	Place string `json:"place"`
	Text  string `json:"text"`
}

func (p Problem) String() string {
	if p.Place == "" {
		return p.Text
	}
	return p.Place + ": " + p.Text
}

// problems collects at most MaxProblems and counts all.
type problems struct {
	list  []Problem
	total int
}

func (p *problems) add(place, format string, args ...any) {
	p.total++
	if len(p.list) < MaxProblems {
		p.list = append(p.list, Problem{place, fmt.Sprintf(format, args...)})
	}
}

// err is nil without problems, else an Invalid fault that lists them in
// Details["problems"] and says how many there were in Details["total"].
func (p *problems) err(what string) error {
	if p.total == 0 {
		return nil
	}
	plural := "s"
	if p.total == 1 {
		plural = ""
	}
	return fault.New(fault.Invalid, "%s has %d problem%s; first: %s", what, p.total, plural, p.list[0]).
		With("problems", p.list).With("total", p.total)
}
