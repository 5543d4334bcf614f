package order

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTransitions(t *testing.T) {
	allowed := map[Status]string{ // one letter per target, in the order of Statuses
		PendingPayment: ".CFEXR..",
		Confirmed:      "....XRP.",
		Failed:         "PC.EXR..",
		Expired:        ".C...R.D",
		Cancelled:      ".....R.D",
		Review:         ".C....PD",
		PartlyRefunded: ".....R.D",
		Refunded:       ".....R..",
	}
	for _, from := range Statuses() {
		for i, to := range Statuses() {
			if want := allowed[from][i] != '.'; from.Can(to) != want {
				t.Errorf("%s → %s: Can = %v, want %v", from, to, !want, want)
			}
		}
	}
}

func TestUnknownStateGoesNowhere(t *testing.T) {
	for _, to := range Statuses() {
		if Status("BOGUS").Can(to) || to.Can("BOGUS") {
			t.Errorf("a state outside the table moved (%s)", to)
		}
	}
}

// Whatever is asked in whatever order, an order that was refunded in full can
// only be looked at by a person, and nothing stays in place by "moving".
func TestWalks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, paid := PendingPayment, false
		for _, to := range rapid.SliceOf(rapid.SampledFrom(Statuses())).Draw(t, "asked") {
			if !at.Can(to) {
				continue
			}
			if to == at {
				t.Fatalf("%s moved to itself", at)
			}
			if at == Refunded && to != Review {
				t.Fatalf("REFUNDED moved to %s", to)
			}
			if paid && (to == Failed || to == Expired || to == PendingPayment) {
				t.Fatalf("a paid order moved from %s to %s", at, to)
			}
			at = to
			paid = paid || at == Confirmed
		}
	})
}
