package api

import (
	"encoding/hex"
	"flag"
	"os"
	"strings"
	"testing"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

var update = flag.Bool("update", false, "write testdata anew")

// goldenAvailability is a hall of a section of seven seats and an area of five places.
func goldenAvailability(t *testing.T) *inventory.Availability {
	t.Helper()
	rows := []seatmap.RowSpec{{Label: "1"}}
	for s := range 7 {
		rows[0].Seats = append(rows[0].Seats, seatmap.SeatSpec{Number: string(rune('1' + s)), X: float32(s)})
	}
	chart, err := seatmap.Build(seatmap.Spec{
		ID: id.ID{1}, Version: 1, Name: "Hall", Categories: []seatmap.Category{{Key: "c", Name: "C", Color: "#aa0000"}},
		Sections: []seatmap.SectionSpec{
			{Label: "Pista", Places: 5, Outline: []seatmap.Point{{X: 0, Y: 5}, {X: 9, Y: 5}, {X: 9, Y: 9}, {X: 0, Y: 9}}},
			{Label: "A", Rows: rows},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	// Places: free held sold free free; seats: free held sold blocked free free held.
	return &inventory.Availability{
		Chart: chart, Epoch: 3, Offset: 70_000, Free: []int{3, 3},
		Statuses: []byte{0<<0 | 1<<2 | 2<<4 | 0<<6, 0<<0 | 0<<2 | 1<<4 | 2<<6, 3<<0 | 0<<2 | 0<<4 | 1<<6},
	}
}

// The vectors are what a reader in another language is tested with; they change only with the layout's version.
func TestBinaryAvailabilityIsAsDocumented(t *testing.T) {
	now := goldenAvailability(t)
	for name, section := range map[string]int{"whole": wholeEvent, "area": 0, "section": 1} {
		got := hex.EncodeToString(appendAvailability(nil, now, section)) + "\n"
		path := "testdata/availability-" + name + ".hex"
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != got {
			t.Errorf("%s: got %s want %s (%v)", name, got, want, err)
		}
	}
}

func FuzzSectionKey(f *testing.F) {
	for _, seed := range []string{"A", "Block A", "..", "~2", "A~2fB", "日本", "A%2F", "~~7E", ".~2E"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key := sectionKey(text)
		if strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~") != "" || key == "." || key == ".." {
			t.Fatalf("%q is written %q, which is not a plain part of a path", text, key)
		}
		if back, ok := sectionLabel(key); back != text || ok != (text != "") {
			t.Fatalf("%q is written %q and read %q, %v", text, key, back, ok)
		}
		if label, ok := sectionLabel(text); ok && sectionKey(label) != text {
			t.Fatalf("%q is a second spelling of %q", text, label)
		}
	})
}
