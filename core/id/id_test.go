package id

import (
	"strings"
	"testing"
)

func TestParseReadsWhatStringWrote(t *testing.T) {
	for range 1000 {
		v := New()
		for _, text := range []string{v.String(), strings.ToUpper(v.String())} {
			got, err := Parse(text)
			if err != nil || got != v {
				t.Fatalf("Parse(%q) = %v, %v; want %v", text, got, err, v)
			}
		}
		if v[6]>>4 != 4 || v[8]>>6 != 2 {
			t.Fatalf("%v is not a version 4 UUID", v)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := New().String()
	for _, text := range []string{
		"", "x", good[:35], good + "0", strings.ReplaceAll(good, "-", ""),
		"g" + good[1:], good[:8] + "_" + good[9:], "{" + good[1:35] + "}",
	} {
		if v, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, v)
		}
	}
}

func TestNewInSortsByGroupAndTime(t *testing.T) {
	one, other := New(), New()
	seen := map[ID]bool{}
	var last ID
	for range 1000 {
		v := NewIn(one)
		if v[6]>>4 != 8 || v[8]>>6 != 2 || seen[v] {
			t.Fatalf("%v", v)
		}
		if string(v[:8]) < string(last[:8]) && v[4] == last[4] { // v[4] turns over once in hours
			t.Fatalf("%v after %v", v, last)
		}
		seen[v], last = true, v
	}
	if NewIn(other)[0] == last[0] && NewIn(other)[1] == last[1] && NewIn(other)[2] == last[2] {
		t.Error("two groups share a place")
	}
}
