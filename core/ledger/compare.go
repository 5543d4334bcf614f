package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"plateia/core/id"
)

// Movement is money that moved at a provider, as our book or the provider's tells it.
type Movement struct {
	Kind     Kind   // Captured, Refunded or RefundFailed
	Key      string // what we called its cause towards the provider
	Order    id.ID
	Amount   int64 // minor units, as our balance there sees it: plus came in
	Currency string
	At       time.Time
}

// Fault of a Difference.
type Fault string

// What can be different.
const (
	MissingHere  Fault = "missing here"  // the provider moved money that our book does not know of
	MissingThere Fault = "missing there" // our book tells of money that the provider did not move
	OtherAmount  Fault = "other amount"
)

// Difference is an entry on which the two books do not agree. The side that lacks it is zero.
type Difference struct {
	Fault        Fault
	Ours, Theirs Movement
}

// String is one line.
func (d Difference) String() string {
	m := d.Ours
	if d.Fault == MissingHere {
		m = d.Theirs
	}
	text := fmt.Sprintf("%s: %s %s of order %s: %d %s", d.Fault, m.Kind, m.Key, m.Order, m.Amount, m.Currency)
	if d.Fault == OtherAmount {
		text += fmt.Sprintf(" here, %d %s there", d.Theirs.Amount, d.Theirs.Currency)
	}
	return text
}

// Compare sets two books side by side, entry by entry. Each (kind, key) is once in a sound book; one that is
// there twice has no partner the second time. A refund that came back before its answer reached us is in the
// provider's book only, twice and with opposite signs: no difference.
func Compare(ours, theirs []Movement) []Difference {
	type name struct {
		kind Kind
		key  string
	}
	open := map[name][]Movement{}
	for _, m := range theirs {
		open[name{m.Kind, m.Key}] = append(open[name{m.Kind, m.Key}], m)
	}
	var out []Difference
	for _, m := range ours {
		n := name{m.Kind, m.Key}
		partners := open[n]
		switch {
		case len(partners) == 0:
			out = append(out, Difference{Fault: MissingThere, Ours: m})
			continue
		case partners[0].Amount != m.Amount || partners[0].Currency != m.Currency:
			out = append(out, Difference{Fault: OtherAmount, Ours: m, Theirs: partners[0]})
		}
		open[n] = partners[1:]
	}
	for n, left := range open {
		back := open[name{RefundFailed, n.key}]
		if n.kind == Refunded && len(left) == 1 && len(back) == 1 && left[0].Amount+back[0].Amount == 0 {
			open[n], open[name{RefundFailed, n.key}] = nil, nil
		}
	}
	for _, left := range open {
		for _, m := range left {
			out = append(out, Difference{Fault: MissingHere, Theirs: m})
		}
	}
	slices.SortFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Fault, b.Fault), cmp.Compare(a.Ours.Key+a.Theirs.Key, b.Ours.Key+b.Theirs.Key), cmp.Compare(a.Ours.Kind+a.Theirs.Kind, b.Ours.Kind+b.Theirs.Kind))
	})
	return out
}
