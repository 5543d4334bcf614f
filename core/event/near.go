package event

import (
	"math"
	"slices"
)

// Area is the surroundings of a point. The zero Area is anywhere.
type Area struct {
	Latitude, Longitude float64 // degrees
	Km                  int     // radius, 1 to MaxKm
}

// MaxKm is how far around a point is looked: further than anybody travels for an evening.
const MaxKm = 300

const (
	kmPerDegree = 111.195 // of latitude
	earthKm     = 6371.0
)

// Anywhere reports whether a is no area.
func (a Area) Anywhere() bool { return a.Km == 0 }

// Distance is how far the venue is from a's centre, in kilometres; false when nobody knows where the venue is.
func (a Area) Distance(v Venue) (km float64, ok bool) {
	if !v.Located() {
		return 0, false
	}
	return DistanceKm(a.Latitude, a.Longitude, v.Latitude, v.Longitude), true
}

// Located reports whether the venue's place on Earth is known. Nobody plays in the Gulf of Guinea.
func (v Venue) Located() bool { return v.Latitude != 0 || v.Longitude != 0 }

// DistanceKm is the length of the great circle between two points.
func DistanceKm(lat1, lon1, lat2, lon2 float64) float64 {
	rad := func(degrees float64) float64 { return degrees * math.Pi / 180 }
	sinLat, sinLon := math.Sin(rad(lat2-lat1)/2), math.Sin(rad(lon2-lon1)/2)
	h := sinLat*sinLat + math.Cos(rad(lat1))*math.Cos(rad(lat2))*sinLon*sinLon
	return 2 * earthKm * math.Asin(math.Sqrt(min(1, h)))
}

// Cell numbers the square degree in which a point is.
func Cell(latitude, longitude float64) int {
	row := min(179, max(0, int(math.Floor(latitude))+90))
	column := (int(math.Floor(longitude))%360 + 540) % 360
	return row*360 + column
}

// Cells are those that the area touches, in order.
func (a Area) Cells() []int {
	up := float64(a.Km) / kmPerDegree
	south, north := max(-90, a.Latitude-up), min(90, a.Latitude+up)
	aside := 180.0 // at a pole every longitude is near
	if shrink := math.Cos(max(math.Abs(south), math.Abs(north)) * math.Pi / 180); shrink*180 > up {
		aside = up / shrink
	}
	var cells []int
	for lat := math.Floor(south); lat <= north; lat++ {
		for lon := math.Floor(a.Longitude - aside); lon <= a.Longitude+aside; lon++ {
			cells = append(cells, Cell(lat, lon))
		}
	}
	slices.Sort(cells)
	return slices.Compact(cells)
}
