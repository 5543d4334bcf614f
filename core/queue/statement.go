package queue

import "time"

// Statement is one link of the chain of statements about an event's draws.
type Statement struct {
	Seq    int64 // from 1, over all epochs
	Epoch  int64
	Kind   string
	Body   []byte // signed
	Secret []byte // of a commitment: what the seed is made with; nil otherwise
	MadeAt time.Time
}

// Admitted is one place that was claimed, as the public record names it.
type Admitted struct {
	Pseudonym string
	Version   int64 // of the frontier document that let it through
}
