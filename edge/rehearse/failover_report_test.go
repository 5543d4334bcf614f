package rehearse

import "testing"

// An order is lost when it ended otherwise than its fan was told, and not while it may still end well.
func TestOrderEnds(t *testing.T) {
	for _, c := range []struct {
		told, is    string
		ended, kept bool
	}{
		{"CONFIRMED", "CONFIRMED", true, true},
		{"CONFIRMED", "CANCELLED", true, false},
		{"CONFIRMED", "PENDING_PAYMENT", true, false},
		{"PENDING_PAYMENT", "CONFIRMED", true, true},
		{"PENDING_PAYMENT", "PENDING_PAYMENT", false, false},
		{"PENDING_PAYMENT", "EXPIRED", true, false},
		{"EXPIRED", "EXPIRED", true, true},
		{"CANCELLED", "REVIEW", false, false},
	} {
		if ended, kept := (placed{status: c.told}).ends(c.is); ended != c.ended || kept != c.kept {
			t.Errorf("told %s, is %s: %v, %v", c.told, c.is, ended, kept)
		}
	}
}
