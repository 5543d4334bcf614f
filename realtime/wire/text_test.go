package wire

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestPositionsAndViewsAsText(t *testing.T) {
	for _, p := range []Position{{}, {Epoch{3, 1_722_900_123_456_789}, 70_001}, {Epoch{MaxNumber, MaxNumber}, MaxNumber}} {
		if got, err := ParsePosition(p.String()); err != nil || got != p {
			t.Errorf("%s became %v, %v", p, got, err)
		}
	}
	for _, v := range []View{{}, {Mode: Whole}, {Mode: Sections, Sections: []int{0}}, {Mode: Sections, Sections: []int{0, 7, MaxSections - 1}}} {
		if got, err := ParseView(v.String()); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s became %v, %v", v, got, err)
		}
	}
	for _, bad := range []string{"", ".", "1.2", "1.2.3.4", "01.2.3", "+1.2.3", "-1.2.3", "1.2.9007199254740992", "1.2.x", " 1.2.3", "1.2.99999999999999999999"} {
		if _, err := ParsePosition(bad); !errors.Is(err, ErrMalformed) {
			t.Errorf("position %q: %v", bad, err)
		}
	}
	tooMany := strings.TrimSuffix(View{Mode: Sections, Sections: ascending(MaxViewSections + 1)}.String(), ".")
	for _, bad := range []string{"", "all", "1.1", "2.1", "1.", "1,2", "01", "16384", tooMany} {
		if _, err := ParseView(bad); !errors.Is(err, ErrMalformed) {
			t.Errorf("view %.20q: %v", bad, err)
		}
	}
}

func ascending(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestReached(t *testing.T) {
	at := Position{Epoch{1, 9}, 10}
	later := at
	later.Offset = 15
	delta := func(mark uint16, from, to uint64) []byte {
		return AppendDelta(nil, Delta{Mark: mark, From: from, To: to})
	}
	for name, c := range map[string]struct {
		frame []byte
		want  Position
	}{
		"snapshot":             {AppendSnapshot(nil, Snapshot{Position: later}), later},
		"snapshot, new epoch":  {AppendSnapshot(nil, Snapshot{Position: Position{Epoch{2, 1}, 3}}), Position{Epoch{2, 1}, 3}},
		"delta":                {delta(at.Mark(), 10, 15), later},
		"delta, overlapping":   {delta(at.Mark(), 5, 15), later},
		"delta, known":         {delta(at.Mark(), 5, 9), at},
		"delta, sign of life":  {delta(at.Mark(), 10, 10), at},
		"delta behind a gap":   {delta(at.Mark(), 12, 15), at},
		"delta, another epoch": {delta(at.Mark()+1, 10, 15), at},
		"summary":              {AppendSummary(nil, Summary{Position: later}), at},
		"bye":                  {AppendBye(nil, Bye{}), at},
		"cut":                  {[]byte{kindDelta, 1}, at},
		"empty":                {nil, at},
	} {
		if got := Reached(c.frame, at); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestEvents(t *testing.T) {
	at := Position{Epoch{1, 9}, 10}
	if got := string(AppendEvent(nil, []byte{1, 2}, at, 0)); got != "id: 1.9.10\ndata: AQI=\n\n" {
		t.Errorf("%q", got)
	}
	if got := string(AppendEvent(nil, []byte{1, 2, 3}, Position{}, 250)); got != "retry: 250\ndata: AQID\n\n" {
		t.Errorf("%q", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("1.9.10")
	f.Add("whole")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParsePosition(text); err == nil && p.String() != text {
			t.Errorf("position %q is read as %q", text, p)
		}
		if v, err := ParseView(text); err == nil && v.String() != text {
			t.Errorf("view %q is read as %q", text, v)
		}
	})
}
