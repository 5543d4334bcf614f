package line

import (
	"sync/atomic"

	"plateia/core/fault"
)

// Outcomes are the calls of a route by how they ended. When all of many claims are Refused a key is wrong: nobody
// gets in, and nothing else would say so.
type Outcomes struct {
	Done    int64
	Early   int64 // before one's turn, or told "one moment": the place is kept
	Over    int64 // the turn has passed, the place moved, the event is over
	Refused int64 // no credential: session, ticket or proof
	Failed  int64 // our fault, or shed
}

// Counter counts calls by how they end. Safe for concurrent use.
type Counter struct{ done, early, over, refused, failed atomic.Int64 }

// Note counts one call, which ended with err.
func (n *Counter) Note(err error) {
	switch fault.CodeOf(err) {
	case "":
		n.done.Add(1)
	case fault.Waiting:
		n.early.Add(1)
	case fault.Unauthenticated:
		n.refused.Add(1)
	case fault.Internal, fault.Busy, fault.OutcomeUnknown, fault.ProviderDown:
		n.failed.Add(1)
	default:
		n.over.Add(1)
	}
}

// Now returns the counts.
func (n *Counter) Now() Outcomes {
	return Outcomes{Done: n.done.Load(), Early: n.early.Load(), Over: n.over.Load(), Refused: n.refused.Load(), Failed: n.failed.Load()}
}

// Plus adds what somebody else counted.
func (o Outcomes) Plus(other Outcomes) Outcomes {
	return Outcomes{o.Done + other.Done, o.Early + other.Early, o.Over + other.Over, o.Refused + other.Refused, o.Failed + other.Failed}
}
