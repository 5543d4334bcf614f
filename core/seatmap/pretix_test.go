package seatmap

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plateia/core/fault"
)

// zoneJSON and its kin write plan files for tests.
func planJSON(zones ...string) string {
	return `{"name": "House", "size": {"width": 1, "height": 1}, "categories": [` +
		`{"name": "I", "color": "#F44336"}, {"name": "II", "color": "#9C27B0"}], "zones": [` + strings.Join(zones, ",") + `]}`
}

func zoneJSON(name string, x, y float64, rows ...string) string {
	return fmt.Sprintf(`{"name": %q, "zone_id": %q, "uuid": "u", "position": {"x": %v, "y": %v}, "areas": [], "rows": [%s]}`,
		name, strings.ReplaceAll(name, " ", ""), x, y, strings.Join(rows, ","))
}

// rowJSON has n seats 25 apart, numbered from 1, with guids from its prefix.
func rowJSON(label, guid string, x, y float64, n int) string {
	seats := make([]string, n)
	for i := range seats {
		seats[i] = seatJSON(fmt.Sprint(i+1), fmt.Sprintf("%s-%d", guid, i+1), float64(25*i), 0, "I")
	}
	return rowOf(label, x, y, seats...)
}

func rowOf(label string, x, y float64, seats ...string) string {
	return fmt.Sprintf(`{"row_number": %q, "row_number_position": "start", "uuid": "u", "position": {"x": %v, "y": %v}, "seats": [%s]}`,
		label, x, y, strings.Join(seats, ","))
}

func seatJSON(number, guid string, x, y float64, category string) string {
	return fmt.Sprintf(`{"seat_number": %q, "seat_guid": %q, "uuid": "u", "position": {"x": %v, "y": %v}, "category": %q}`,
		number, guid, x, y, category)
}

func importPlan(t *testing.T, text string, repair bool) (*Chart, Report, error) {
	t.Helper()
	s, report, err := ImportPretix(strings.NewReader(text), ImportOptions{Repair: repair})
	if err != nil {
		if fault.CodeOf(err) != fault.Invalid {
			t.Fatalf("error %v is no Invalid fault", err)
		}
		return nil, report, err
	}
	return mustBuild(t, s), report, nil
}

func TestImportAddsPositionsUp(t *testing.T) {
	c, report, err := importPlan(t, planJSON(zoneJSON("Hall", 1000, 500,
		rowOf("A", 10, 20, seatJSON("1", "a1", -5, 0, "I"), seatJSON("2", "a2", 20, -2.6e-13, "II")),
		rowJSON("B", "b", 10, 45, 3),
	)), false)
	if err != nil || report.Seats != 5 || report.ProblemTotal+report.WarningTotal+report.RepairTotal != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	for label, want := range map[string]Point{
		"Hall-A-1": {1005, 520}, "Hall-A-2": {1030, 520}, "Hall-B-1": {1010, 545}, "Hall-B-3": {1060, 545},
	} {
		o, found := c.Find(label)
		if !found || c.At(o) != want {
			t.Errorf("%s is at %v, want %v", label, c.At(o), want)
		}
	}
	if o, _ := c.Find("Hall-A-2"); c.Category(o) != 1 {
		t.Errorf("category %d", c.Category(o))
	}
}

func TestImportWarnsOfUnknownKeysOnce(t *testing.T) {
	text := strings.ReplaceAll(planJSON(zoneJSON("Hall", 0, 0, rowJSON("A", "a", 0, 0, 3))), `"seat_number"`, `"wheelchair": true, "seat_number"`)
	text = strings.Replace(text, `"name": "House"`, `"layout": {}, "name": "House"`, 1)
	c, report, err := importPlan(t, text, false)
	if err != nil || c.Seats() != 3 {
		t.Fatal(err)
	}
	if report.WarningTotal != 2 || !strings.Contains(report.Warnings[1].String(), `"wheelchair"`) || !strings.Contains(report.Warnings[1].Text, "3 times") {
		t.Errorf("warnings %v", report.Warnings)
	}
}

func TestImportRefuses(t *testing.T) {
	hall := func(seat string) string { return planJSON(zoneJSON("Hall", 0, 0, rowOf("A", 0, 0, seat))) }
	good := seatJSON("1", "g", 0, 0, "I")
	for _, test := range []struct {
		name, text, want string
		offered          bool
	}{
		{"nothing", "", "not JSON", false},
		{"no JSON", "<xml>", "not JSON", false},
		{"a list", "[]", "must be an object", false},
		{"cut short", hall(good)[:100], "not JSON", false},
		{"more after its end", hall(good) + "{}", "not JSON", false},
		{"no zones", `{"categories": [{"name": "I", "color": "#ffffff"}], "zones": []}`, "no seats", false},
		{"NaN", strings.Replace(hall(good), `"x": 0`, `"x": NaN`, 1), "NaN", false},
		{"infinity", strings.Replace(hall(good), `"x": 0`, `"x": 1e999`, 1), "1e999", false},
		{"absurd", strings.Replace(hall(good), `"x": 0`, `"x": 1e7`, 1), "1e7", false},
		{"absurd sum", planJSON(zoneJSON("Hall", 9e5, 0, rowJSON("A", "a", 9e5, 0, 1))), "adds up", false},
		{"a text for a number", strings.Replace(hall(good), `"x": 0`, `"x": "0"`, 1), "must be a number", false},
		{"no position", strings.Replace(hall(good), `"position"`, `"positron"`, 1), "has no position", false},
		{"unknown category", hall(seatJSON("1", "g", 0, 0, "IX")), `seats[0] "1": has the unknown category "IX"`, false},
		{"a category twice", strings.Replace(hall(good), `"II"`, `"I"`, 1), "there twice", false},
		{"rows are no list", strings.Replace(hall(good), `"rows": [`, `"rows": {}, "r": [`, 1), "must be a list", false},
		{"not UTF-8", strings.Replace(hall(good), "Hall", "Hal\xff", 1), "not UTF-8", false},
		{"seats in one spot", planJSON(zoneJSON("Hall", 0, 0, rowJSON("A", "a", 0, 0, 2), rowJSON("B", "b", 25, 1e-13, 1))),
			`zones[0] "Hall" rows[1] "B" seats[0] "1": is in the same spot as zones[0] "Hall" rows[0] "A" seats[1] "2"`, false},
		{"categories without end", strings.Replace(hall(good), `"categories": [`, `"categories": [`+strings.Repeat(`{},`, 200_000), 1), "at most 64, are 200002", false},
		{"zones without end", planJSON(strings.Repeat(`{},`, 200_000) + zoneJSON("Hall", 0, 0, rowOf("A", 0, 0, good))), "at most 4096, are 200001", false},
		{"missing guid", hall(seatJSON("1", "", 0, 0, "I")), `zones[0] "Hall" rows[0] "A" seats[0] "1": has no seat_guid`, true},
		{"missing number", hall(seatJSON("", "g", 0, 0, "I")), "has no seat_number", true},
		{"duplicate guid", planJSON(zoneJSON("Hall", 0, 0, rowJSON("A", "x", 0, 0, 1), rowJSON("B", "x", 0, 25, 1))), "seat_guid", true},
		{"duplicate place", planJSON(zoneJSON("Hall", 0, 0, rowJSON("A", "x", 0, 0, 1), rowJSON("A", "y", 0, 25, 1))), `row "A", seat "1"`, true},
		{"two zones of one name", planJSON(zoneJSON("Hall", 0, 0, rowJSON("A", "x", 0, 0, 1)), zoneJSON("Hall", 0, 50, rowJSON("B", "y", 0, 0, 1))), "another zone", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, report, err := importPlan(t, test.text, false)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v; want %q", err, test.want)
			}
			if report.RepairOffered != test.offered || report.ProblemTotal == 0 || len(report.Problems) == 0 {
				t.Errorf("report %+v", report)
			}
			c, repaired, err := importPlan(t, test.text, true)
			if (err == nil) != test.offered {
				t.Fatalf("repaired: %v", err)
			}
			if test.offered && c.Seats() != repaired.Seats {
				t.Errorf("%d seats of %d", c.Seats(), repaired.Seats)
			}
		})
	}
}

func TestImportListsAtMostFifty(t *testing.T) {
	rows := make([]string, 80)
	for i := range rows {
		rows[i] = rowJSON("A", "same", 0, float64(25*i), 2)
	}
	_, report, err := importPlan(t, planJSON(zoneJSON("Hall", 0, 0, rows...)), false)
	if err == nil || len(report.Problems) != MaxProblems || report.ProblemTotal != 2*2*79 {
		t.Fatalf("%d of %d problems, %v", len(report.Problems), report.ProblemTotal, err)
	}
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Details["problems"].([]Problem)) != MaxProblems || f.Details["repairOffered"] != true {
		t.Errorf("details %v", f)
	}
	c, repaired, err := importPlan(t, planJSON(zoneJSON("Hall", 0, 0, rows...)), true)
	if err != nil || c.Seats() != 160 || len(c.Sections()) != 80 {
		t.Errorf("%v, %+v", err, repaired)
	}
}

func TestRepairKeepsEverySeat(t *testing.T) {
	t.Run("blocks become sections, clockwise", func(t *testing.T) {
		c, report, err := importPlan(t, planJSON(zoneJSON("Hall", 0, 0,
			rowJSON("A", "x", 0, 0, 3), rowJSON("B", "x", 0, 25, 3),
			rowJSON("A", "x", 0, 500, 3), rowJSON("B", "x", 0, 525, 3),
			rowJSON("A", "x", 500, 250, 3))), true)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range c.Sections() {
			got = append(got, fmt.Sprint(s.Label, " ", s.Name, " ", s.To-s.From))
		}
		if want := "Hall-1 Hall 1 3,Hall-2 Hall 2 6,Hall-3 Hall 3 6"; strings.Join(got, ",") != want {
			t.Errorf("sections %v", got)
		}
		if report.RepairTotal != 1 {
			t.Errorf("repairs %v", report.Repairs)
		}
	})
	t.Run("a number twice in a row", func(t *testing.T) {
		c, _, err := importPlan(t, planJSON(zoneJSON("Hall", 0, 0, rowOf("A", 0, 0,
			seatJSON("7", "a", 0, 0, "I"), seatJSON("7", "b", 25, 0, "I"), seatJSON("7.2", "c", 50, 0, "I")))), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"Hall-A-7", "Hall-A-7.3", "Hall-A-7.2"} {
			if _, found := c.Find(label); !found {
				t.Errorf("no seat %s", label)
			}
		}
	})
	t.Run("floors drawn on each other are moved apart", func(t *testing.T) {
		text := planJSON(zoneJSON("Ground", 0, 0, rowJSON("A", "x", 0, 0, 9), rowJSON("B", "y", 0, 25, 9)), zoneJSON("First", 1, 1, rowJSON("A", "z", 0, 0, 9)))
		c, report, err := importPlan(t, text, false)
		if err != nil || report.WarningTotal != 1 || c.At(18) != (Point{1, 1}) {
			t.Fatalf("%+v, %v", report, err)
		}
		c, report, err = importPlan(t, text, true)
		if err != nil || report.RepairTotal != 1 || c.At(18) != (Point{1, 125}) {
			t.Fatalf("%+v, %v, %v", report, err, c.At(18))
		}
		if got := c.Shapes(); len(got) != 1 || got[0].Role != RoleText || got[0].Label != "First" {
			t.Errorf("shapes %+v", got)
		}
		if c.Distance(18) > c.Distance(0) {
			t.Errorf("the upper floor is %d away, the ground %d", c.Distance(18), c.Distance(0))
		}
	})
}

func TestImportOrdersSeatsAlongTheRow(t *testing.T) {
	c, _, err := importPlan(t, planJSON(zoneJSON("Hall", 0, 0, rowOf("A", 0, 0,
		seatJSON("1", "a", 0, 0, "I"), seatJSON("3", "b", 50, 0, "I"), seatJSON("2", "c", 25, 0, "I"), seatJSON("4", "d", 75, 0, "I")),
		rowJSON("B", "e", 0, 25, 3), rowOf("B", 0, 25, seatJSON("9", "h", 150, 0, "I")))), false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for o := range Ordinal(c.Seats()) {
		got = append(got, c.Label(o))
		if _, linked := c.Right(o); !linked {
			got = append(got, "|")
		}
	}
	if want := "Hall-A-1 Hall-A-2 Hall-A-3 Hall-A-4 | Hall-B-1 Hall-B-2 Hall-B-3 | Hall-B-9 |"; strings.Join(got, " ") != want {
		t.Errorf("seats %v", got)
	}
}

func TestImportDrawsAreas(t *testing.T) {
	areas := `"areas": [
		{"shape": "rectangle", "color": "#CBEEB3", "rotation": 90, "position": {"x": 10, "y": 10}, "text": {"text": "Field"}, "rectangle": {"width": 400, "height": 300}},
		{"shape": "circle", "position": {"x": 0, "y": 0}, "circle": {"radius": 5}},
		{"shape": "ellipse", "position": {"x": 0, "y": 0}, "ellipse": {"radius": {"x": 5, "y": 6}}},
		{"shape": "polygon", "position": {"x": 1, "y": 2}, "polygon": {"points": [{"x": 0, "y": 0}, {"x": 9, "y": 0}, {"x": 0, "y": 9}]}},
		{"shape": "text", "position": {"x": 7, "y": 8}, "text": {"text": "Exit"}},
		{"shape": "blob", "position": {"x": 7, "y": 8}}]`
	text := strings.Replace(planJSON(zoneJSON("Hall", 0, 0, rowJSON("A", "x", 0, 0, 3))), `"areas": []`, areas, 1)
	c, report, err := importPlan(t, text, false)
	if err != nil {
		t.Fatal(err)
	}
	shapes := c.Shapes()
	if len(shapes) != 5 || report.WarningTotal != 1 {
		t.Fatalf("%d shapes, %v", len(shapes), report.Warnings)
	}
	if s := shapes[0]; s.Role != RoleStage || s.Label != "Field" || s.Color != "#cbeeb3" || s.Points[1] != (Point{10, 410}) || s.Points[2] != (Point{-290, 410}) {
		t.Errorf("stage %+v", s)
	}
	if c.Focal() != (Point{-140, 210}) {
		t.Errorf("focal point %v", c.Focal())
	}
	if s := shapes[4]; s.Role != RoleText || s.Points[0] != (Point{7, 8}) {
		t.Errorf("text %+v", s)
	}
}

// realPlan is somebody else's plan, which lies next to a checkout of this project and not in it.
func realPlan(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		data, err := os.ReadFile(filepath.Join(folder, "..", "shared", "data", "plans", "pretix-stadium-738-seats.json"))
		if err == nil {
			return string(data)
		}
		folder = filepath.Dir(folder)
	}
	t.Skip("the reference data next to the checkout is not there")
	return ""
}

func TestRealPlan(t *testing.T) {
	text := realPlan(t)
	_, report, err := importPlan(t, text, false)
	if err == nil || !report.RepairOffered || report.ProblemTotal != 2*(738-318) || len(report.Problems) != MaxProblems || report.Seats != 738 {
		t.Fatalf("%d problems, offered %v, %v", report.ProblemTotal, report.RepairOffered, err)
	}
	c, report, err := importPlan(t, text, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, repair := range report.Repairs {
		t.Log(repair)
	}
	labels := map[string]bool{}
	for o := range Ordinal(c.Seats()) {
		labels[c.Label(o)] = true
		if o != 0 && c.At(o) == c.At(o-1) {
			t.Errorf("%s stands on the seat before it", c.Label(o))
		}
	}
	if c.Seats() != 738 || len(labels) != 738 || len(c.Sections()) != 15 {
		t.Fatalf("%d seats, %d labels, %d sections", c.Seats(), len(labels), len(c.Sections()))
	}
	d, err := decodeGeometry(c.Geometry())
	if err != nil {
		t.Fatal(err)
	}
	compareGeometry(t, c, d)
}

func FuzzImportPretix(f *testing.F) {
	f.Add(planJSON(zoneJSON("Hall", 0, 0, rowJSON("A", "x", 0, 0, 3), rowJSON("A", "x", 0, 25, 3))))
	f.Add(planJSON(zoneJSON("Hall", 1e6, -1e6, rowJSON("", "", 0, 1e-300, 3)), zoneJSON("", 1, 1)))
	f.Add(planJSON(zoneJSON("A", 0, 0, rowJSON("1-A", "x", 0, 0, 3)), zoneJSON("A-1", 0, 0, rowJSON("A", "y", 0, 0, 3))))
	f.Add(`{"categories": [{}], "zones": [{"rows": [{"seats": [{}]}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, repair := range []bool{false, true} {
			s, report, err := ImportPretix(strings.NewReader(text), ImportOptions{Repair: repair})
			if err != nil {
				if fault.CodeOf(err) != fault.Invalid && fault.CodeOf(err) != fault.TooLarge {
					t.Fatalf("error %v", err)
				}
				continue
			}
			c, err := Build(s)
			if err != nil || c.Seats() != report.Seats {
				t.Fatalf("%d seats of %d, %v", c.Seats(), report.Seats, err)
			}
			if _, err := decodeGeometry(c.Geometry()); err != nil {
				t.Fatal(err)
			}
			if _, err := json.Marshal(report); err != nil {
				t.Fatal(err)
			}
		}
	})
}
