package payment

import (
	"testing"

	"pgregory.net/rapid"
)

func TestAttemptTransitions(t *testing.T) {
	allowed := map[Status]string{ // one letter per target, in the order of Statuses
		Created:   ".PCDXU",
		Pending:   "..CDXU",
		Captured:  "......",
		Declined:  "..C...",
		Cancelled: "..C...",
		Unknown:   ".PCDX.",
	}
	for _, from := range Statuses() {
		for i, to := range Statuses() {
			if want := allowed[from][i] != '.'; from.Can(to) != want {
				t.Errorf("%s → %s: Can = %v, want %v", from, to, !want, want)
			}
		}
	}
}

func TestRefundTransitions(t *testing.T) {
	allowed := map[RefundStatus]string{
		RefundRequested: ".PDF",
		RefundPending:   "..DF",
		RefundDone:      "...F",
		RefundFailed:    "R...",
	}
	for _, from := range RefundStatuses() {
		for i, to := range RefundStatuses() {
			if want := allowed[from][i] != '.'; from.Can(to) != want {
				t.Errorf("%s → %s: Can = %v, want %v", from, to, !want, want)
			}
		}
	}
}

// All orders of the same provider reports end alike: once captured, always captured.
func TestReportsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reports := rapid.SliceOfN(rapid.SampledFrom(Statuses()), 1, 8).Draw(t, "reports")
		reports = append(reports, Captured)
		for _, r := range [][]Status{reports, rapid.Permutation(reports).Draw(t, "permuted")} {
			at := Created
			for _, to := range r {
				if at.Can(to) {
					at = to
				}
			}
			if at != Captured {
				t.Fatalf("ended %s after %v", at, r)
			}
		}
	})
}
