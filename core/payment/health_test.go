package payment

import (
	"testing"
	"time"
)

func TestOutlook(t *testing.T) {
	at := func(s int) time.Time { return time.Date(2026, 5, 1, 12, 0, s, 0, time.UTC) }
	open := func(p string, opened int) Report { return Report{Provider: p, Open: true, OpenedAt: at(opened)} }
	closed := func(p string, ok int) Report { return Report{Provider: p, OKAt: at(ok)} }
	for _, c := range []struct {
		name    string
		reports []Report
		asked   []string
		want    bool
	}{
		{"nobody reports", nil, nil, false},
		{"all well", []Report{closed("a", 1), closed("b", 1)}, nil, false},
		{"one of two down", []Report{open("a", 5), closed("b", 1)}, nil, false},
		{"both down", []Report{open("a", 5), open("b", 6)}, nil, true},
		{"a process that never called vouches for nothing", []Report{open("a", 5), {Provider: "a"}}, nil, true},
		{"an answer of before vouches for nothing", []Report{open("a", 5), closed("a", 4)}, nil, true},
		{"an answer since does", []Report{open("a", 5), closed("a", 6)}, nil, false},
		{"an open breaker's own old answer does not", []Report{{Provider: "a", Open: true, OpenedAt: at(5), OKAt: at(7)}}, nil, true},
		{"an event with one provider, which is down", []Report{open("a", 5), closed("b", 9)}, []string{"a"}, true},
		{"an event with a provider that nobody runs", []Report{open("a", 5), closed("b", 9)}, []string{"c"}, false},
		{"an event with the other one", []Report{open("a", 5), closed("b", 9)}, []string{"b"}, false},
	} {
		if got := OutlookOf(c.reports).AllDown(c.asked); got != c.want {
			t.Errorf("%s: all down %v", c.name, got)
		}
	}
}
