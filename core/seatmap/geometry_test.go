package seatmap

import (
	"bytes"
	"encoding/json"
	"flag"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write testdata instead of comparing with it")

// smallSpec has one of everything that the geometry can say.
func smallSpec() Spec {
	row := func(label string, y float32, numbers ...string) RowSpec {
		r := RowSpec{Label: label}
		for i, n := range numbers {
			dx := float32(i) - float32(len(numbers)-1)/2
			r.Seats = append(r.Seats, SeatSpec{Number: n, X: 50 + 10*dx, Y: y + dx*dx/4})
		}
		return r
	}
	s := Spec{
		Version: 1, Name: "Small", Focal: &Point{50, 0},
		Categories: []Category{{"a", "Best", "#0072b2"}, {"b", "Mais barato, à vista", "#a65000"}},
		Shapes: []Shape{
			{Role: RoleStage, Label: "Stage", Color: "#dddddd", Points: []Point{{20, -10}, {80, -10}, {80, 5}, {20, 5}}},
			{Role: RoleLine, Points: []Point{{0, 8}, {100, 8}}},
			{Role: RoleText, Label: "Exit", Points: []Point{{0, 100}}},
		},
		Sections: []SectionSpec{
			{Label: "ST", Name: "Stalls", Rows: []RowSpec{
				row("A", 20, "1", "2", "3", "4", "5", "6", "7"),
				row("B", 30, "14", "12", "10", "8", "6", "4", "2"),
				row("C", 40, "1", "1a", "2", "3"),
				row("D", 50, "1"),
				row("E", 60, "7", "8"),
			}},
			{Label: "FLOOR", Name: "Standing", Places: 5, Category: 1, Outline: []Point{{120, 20}, {160, 20}, {160, 60}, {120, 60}}},
			{Label: "Z", Rows: []RowSpec{{Label: "1", Seats: []SeatSpec{
				{Number: "1", X: 0, Y: 80, Accessible: true}, {Number: "2", X: 10, Y: 80, Companion: true},
				{Number: "3", X: 40, Y: 80}, {Number: "4", X: 50, Y: 80}, {Number: "5", X: 60, Y: 80, Category: 1},
				{Number: "6", X: 70, Y: 83}, {Number: "7", X: 80, Y: 80}, {Number: "8", X: 90, Y: 83}, {Number: "9", X: 100, Y: 80},
			}}}},
		},
	}
	return s
}

func mustBuild(t testing.TB, s Spec) *Chart {
	t.Helper()
	c, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGeometrySaysWhatTheChartSays(t *testing.T) {
	for name, c := range map[string]*Chart{"small": mustBuild(t, smallSpec()), "stadium": stadium(), "theatre": mustBuild(t, Theatre())} {
		t.Run(name, func(t *testing.T) {
			d, err := decodeGeometry(c.Geometry())
			if err != nil {
				t.Fatal(err)
			}
			compareGeometry(t, c, d)
			t.Logf("%d seats, %d bytes, %.2f a seat", c.Seats(), len(c.Geometry()), float64(len(c.Geometry()))/float64(c.Seats()))
		})
	}
}

func compareGeometry(t *testing.T, c *Chart, d *decoded) {
	t.Helper()
	if len(d.x) != c.Seats() || len(d.rows) != len(c.Rows()) || len(d.sections) != len(c.Sections()) || len(d.shapes) != len(c.Shapes()) {
		t.Fatalf("decoded %d seats, %d rows, %d sections, %d shapes", len(d.x), len(d.rows), len(d.sections), len(d.shapes))
	}
	worst := 0.0
	for o := range Ordinal(c.Seats()) {
		seat := c.Seat(o)
		flags := int(c.flags[o])
		if d.labels[o] != c.Label(o) || d.section[o] != seat.Section || d.row[o] != seat.Row ||
			d.category[o] != seat.Category || d.flags[o] != flags {
			t.Fatalf("seat %d decoded as %s section %d row %d category %d flags %d; is %s %+v",
				o, d.labels[o], d.section[o], d.row[o], d.category[o], d.flags[o], c.Label(o), seat)
		}
		worst = max(worst, math.Hypot(float64(d.x[o]-seat.X), float64(d.y[o]-seat.Y))/float64(c.Pitch()))
	}
	if worst >= 0.1 {
		t.Errorf("a seat is off by %.3f of a pitch", worst)
	}
	for i, s := range c.Sections() {
		got := d.sections[i]
		if got.Label != s.Label || got.Name != s.Name || got.From != s.From || got.To != s.To || got.RowFrom != s.RowFrom ||
			got.RowTo != s.RowTo || got.Category != s.Category || got.General != s.General || len(got.Outline) != len(s.Outline) {
			t.Errorf("section %d decoded as %+v; is %+v", i, got, s)
		}
	}
	for i, r := range c.Rows() {
		if d.rows[i] != r {
			t.Errorf("row %d decoded as %+v; is %+v", i, d.rows[i], r)
		}
	}
}

// golden is what web/src/map/geometry.test.ts expects of the .bin beside it.
type golden struct {
	Seats      int          `json:"seats"`
	Pitch      float32      `json:"pitch"`
	Focal      Point        `json:"focal"`
	Bounds     [4]float32   `json:"bounds"`
	Categories []Category   `json:"categories"`
	Sections   []goldSect   `json:"sections,omitempty"`
	Rows       []goldRow    `json:"rows,omitempty"`
	Shapes     []Shape      `json:"shapes,omitempty"`
	List       []goldSeat   `json:"list,omitempty"`
	Checksums  goldChecksum `json:"checksums"` // FNV-1a, 32 bits, of the little-endian bytes
}

type goldSect struct {
	Label    string  `json:"label"`
	Name     string  `json:"name"`
	From     Ordinal `json:"from"`
	To       Ordinal `json:"to"`
	RowFrom  int     `json:"rowFrom"`
	RowTo    int     `json:"rowTo"`
	Category int     `json:"category"`
	General  bool    `json:"general"`
	Outline  []Point `json:"outline"`
}

type goldRow struct {
	Label   string  `json:"label"`
	Section int     `json:"section"`
	From    Ordinal `json:"from"`
	To      Ordinal `json:"to"`
}

type goldSeat struct {
	Label    string  `json:"label"`
	X        float32 `json:"x"`
	Y        float32 `json:"y"`
	Category int     `json:"category"`
	Flags    int     `json:"flags"`
}

type goldChecksum struct {
	X        uint32 `json:"x"`        // Float32Array
	Y        uint32 `json:"y"`        // Float32Array
	Section  uint32 `json:"section"`  // Uint16Array
	Row      uint32 `json:"row"`      // Uint16Array
	Category uint32 `json:"category"` // Uint8Array
	Flags    uint32 `json:"flags"`    // Uint8Array
	Labels   uint32 `json:"labels"`   // UTF-8, each followed by a line feed
	Outlines uint32 `json:"outlines"` // Float32Array of all outlines, x y x y …
}

func (d *decoded) golden(everything bool) golden {
	g := golden{
		Seats: len(d.x), Pitch: d.pitch, Focal: d.focal, Categories: d.cats, Checksums: d.checksums(),
		Bounds: [4]float32{d.bounds.X0, d.bounds.Y0, d.bounds.X1, d.bounds.Y1},
	}
	if !everything {
		return g
	}
	g.Shapes = d.shapes
	for _, s := range d.sections {
		g.Sections = append(g.Sections, goldSect{s.Label, s.Name, s.From, s.To, s.RowFrom, s.RowTo, s.Category, s.General, s.Outline})
	}
	for _, r := range d.rows {
		g.Rows = append(g.Rows, goldRow(r))
	}
	for o := range d.x {
		g.List = append(g.List, goldSeat{d.labels[o], d.x[o], d.y[o], d.category[o], d.flags[o]})
	}
	return g
}

func (d *decoded) checksums() goldChecksum {
	var c goldChecksum
	c.X, c.Y = sumFloats(d.x), sumFloats(d.y)
	c.Section, c.Row = sumInts(d.section, 2), sumInts(d.row, 2)
	c.Category, c.Flags = sumInts(d.category, 1), sumInts(d.flags, 1)
	h := fnv.New32a()
	for _, l := range d.labels {
		h.Write([]byte(l + "\n"))
	}
	c.Labels = h.Sum32()
	var outlines []float32
	for _, s := range d.sections {
		for _, p := range s.Outline {
			outlines = append(outlines, p.X, p.Y)
		}
	}
	c.Outlines = sumFloats(outlines)
	return c
}

func sumFloats(values []float32) uint32 {
	h := fnv.New32a()
	for _, v := range values {
		b := math.Float32bits(v)
		h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
	}
	return h.Sum32()
}

func sumInts(values []int, size int) uint32 {
	h := fnv.New32a()
	for _, v := range values {
		for i := range size {
			h.Write([]byte{byte(v >> (8 * i))})
		}
	}
	return h.Sum32()
}

// TestGeometryGolden pins the bytes: browsers keep geometries forever. Run with
// -update only together with a new version number in the format, or a new stadium.
func TestGeometryGolden(t *testing.T) {
	for name, c := range map[string]*Chart{"small": mustBuild(t, smallSpec()), "stadium": stadium()} {
		t.Run(name, func(t *testing.T) {
			data := c.Geometry()
			d, err := decodeGeometry(data)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.MarshalIndent(d.golden(name == "small"), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			pin(t, name+".geometry.bin", data)
			pin(t, name+".geometry.json", append(text, '\n'))
		})
	}
}

func pin(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, want) {
		t.Errorf("%s changed: %d bytes, were %d", name, len(data), len(want))
	}
}

func FuzzGeometryReader(f *testing.F) {
	c, err := Build(smallSpec())
	if err != nil {
		f.Fatal(err)
	}
	data := c.Geometry()
	f.Add(data)
	for i := range data {
		f.Add(data[:i])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if d, err := decodeGeometry(data); err == nil && len(d.x) > MaxSeats {
			t.Errorf("decoded %d seats", len(d.x))
		}
	})
}
