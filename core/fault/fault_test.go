package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

func TestFromFindsTheFaultAndHidesEverythingElse(t *testing.T) {
	taken := New(SeatTaken, "seat %s is gone", "A-1-1")
	if got := From(fmt.Errorf("placing: %w", taken)); got != taken {
		t.Errorf("a wrapped fault became %v", got)
	}
	hidden := From(errors.New("dial tcp 10.0.0.1: password wrong"))
	if hidden.Code != Internal || hidden.Text == "" || hidden.Retryable {
		t.Errorf("a plain error became %+v", hidden)
	}
	if CodeOf(nil) != "" || CodeOf(io.EOF) != Internal || CodeOf(taken) != SeatTaken {
		t.Error("CodeOf does not tell nil, plain errors and faults apart")
	}
}

func TestTheCauseIsForTheLogOnly(t *testing.T) {
	f := Wrap(io.ErrUnexpectedEOF, Busy, "one moment")
	if f.Text != "one moment" || !errors.Is(f, io.ErrUnexpectedEOF) {
		t.Errorf("text %q, error %v", f.Text, f)
	}
}

func TestCopiesDoNotTouchTheOriginal(t *testing.T) {
	original := New(RateLimited, "slow down").With("limit", 10)
	changed := original.With("resetAt", "soon").After(3 * time.Second)
	if len(original.Details) != 1 || original.RetryAfter != 0 {
		t.Errorf("the original became %+v", original)
	}
	if len(changed.Details) != 2 || changed.RetryAfter != 3*time.Second || !changed.Retryable {
		t.Errorf("the copy is %+v", changed)
	}
}

func TestOnlyWhatTimeCanMendIsRetryable(t *testing.T) {
	for _, code := range []Code{Busy, InProgress, Waiting, OutcomeUnknown, RateLimited, ProviderDown} {
		if !New(code, "").Retryable {
			t.Errorf("%s is not retryable", code)
		}
	}
	for _, code := range []Code{Invalid, SeatTaken, HoldGone, KeyReused, Unauthenticated, Internal, PriceChanged} {
		if New(code, "").Retryable {
			t.Errorf("%s is retryable", code)
		}
	}
}
