package seatmap

import (
	"math"
)

// Theatre is a small demo house in metres: stalls with a centre aisle, a cross-aisle
// with wheelchair places, a balcony, and standing room behind it, sold by count; 300 places or so.
// The result is always the same, with a zero ID and version 1; the caller sets both.
func Theatre() Spec {
	s := Spec{
		Version: 1, Name: "Teatro Plateia", Focal: &Point{0, 0},
		Categories: []Category{
			{"stalls", "Stalls", "#0072b2"},
			{"rear", "Rear stalls", "#00785a"},
			{"balcony", "Balcony", "#a65000"},
			{"standing", "Standing", "#7a3d8f"},
		},
		Shapes: []Shape{{Role: RoleStage, Label: "Stage", Color: "#d8d3c8", Points: theatreStage()}},
	}
	letters := rowLetters(17)
	s.Sections = append(s.Sections,
		theatreBlock("STALLS", "Stalls", letters[:7], 14, 9.5, 0, true),
		theatreBlock("REAR", "Rear stalls", letters[7:12], 20, 17.2, 1, false),
		theatreBlock("BALCONY", "Balcony", letters[:3], 22, 24.5, 2, false),
		SectionSpec{Label: "STANDING", Name: "Standing room", Places: standingPlaces, Category: 3, Outline: standingRoom()})
	return s
}

const standingPlaces = 30

// standingRoom lies between a rail behind the balcony and the curved back wall.
func standingRoom() []Point {
	return append(arc(0, -4, 30, 72, 108, 9), Point{-9.2, 23.2}, Point{9.2, 23.2})
}

// theatreBlock lays rows on circles around a point behind the stage. The last row
// of a block with wheelchairs is given to them.
func theatreBlock(label, name string, rows []string, first int, radius float64, category int, wheelchairs bool) SectionSpec {
	section := SectionSpec{Label: label, Name: name}
	for i, row := range rows {
		r := radius + 0.95*float64(i)
		spec := RowSpec{Label: row}
		if wheelchairs && i == len(rows)-1 {
			spec.Seats = accessibleSeats(fan(r+0.3, 8, 1.0), category)
		} else {
			spec.Seats = plainSeats(fan(r, first+2*(i/2), 0.55), category)
		}
		section.Rows = append(section.Rows, spec)
	}
	return section
}

// fan places n seats on a circle around (0, -4), half of them on each side of a centre aisle.
func fan(radius float64, n int, pitch float64) []vec {
	const aisle = 0.7 // more than the pitch
	seats := make([]vec, n)
	for i := range seats {
		way := (float64(i) - float64(n-1)/2) * pitch
		sin, cos := math.Sincos((way + math.Copysign(aisle/2, way)) / radius)
		seats[i] = vec{radius * sin, radius*cos - 4}
	}
	return seats
}

func theatreStage() []Point {
	points := []Point{{-6, -2.5}, {6, -2.5}}
	return append(points, arc(0, -4, 7.2, 33, 147, 13)...)
}
