package controller

import "time"

// Mature reports whether nearly all of a cohort's who will come have come.
func (s State) Mature(c Cohort) bool {
	_, mature := s.delay()
	return s.Clock-c.At >= mature
}

// When is the instant of a cohort, if there was no pause since.
func (s State) When(c Cohort) time.Time {
	return s.Last.Add(-time.Duration((s.Clock - c.At) * float64(time.Second)))
}

// Shows is the share of the called who come; 1 until anything is known.
func (s State) Shows() float64 { return s.show() }
