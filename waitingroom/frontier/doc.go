// Package frontier is the one small document that tells everybody how far the line is, and
// the pure functions that read it: the gate, places and times.
//
// Invariants:
//   - Versions increase strictly, over resets too; a reader keeps the highest it has verified.
//   - Next is the only way to a newer document, and takes the later of old and new for each lane,
//     so a frontier cannot move back. An emergency is a pause, which stops every claim clock.
//   - A newer document never gives a ticket an earlier deadline: a ticket counts as passed at the first
//     point of the history that reaches it, and points only go when every window they began is over.
//   - The document's size has a bound that does not depend on the number of fans.
package frontier
