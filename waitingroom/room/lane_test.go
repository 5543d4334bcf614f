package room

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"plateia/core/fault"
)

// A batch of claims that ran out of time is to be asked for again, and no failure of ours.
func TestClaimsThatTakeTooLongAreAskedForAgain(t *testing.T) {
	if f := fault.From(tooLong(fmt.Errorf("reading: %w", context.DeadlineExceeded))); f.Code != fault.Busy || f.RetryAfter == 0 {
		t.Errorf("%v", f)
	}
	unknown := fault.Wrap(context.DeadlineExceeded, fault.OutcomeUnknown, "who knows")
	for _, err := range []error{nil, unknown, errors.New("odd")} {
		if got := tooLong(err); !errors.Is(got, err) || fault.CodeOf(got) != fault.CodeOf(err) {
			t.Errorf("%v became %v", err, got)
		}
	}
}
