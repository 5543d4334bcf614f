// Package controller decides, once a second, how many tickets the frontier moves over. What it
// protects is how many people are inside, not a rate.
//
// Invariants:
//   - Decide is a pure function of its state and the signals; the clock comes with the signals.
//   - A step is never negative and never above StepBound × target / stay.
//   - With the payment breaker open, or paused, nobody new is let in, and cohorts do not grow older in a pause.
//   - State is plain data, stored with the frontier it led to: another process goes on from there.
//
// The loop in words: who is inside, plus who was let in and will still come, less who will leave
// until those come, should be the target. Who will still come follows from the share that came of cohorts
// old enough to have come; how old that is, is measured too.
package controller
