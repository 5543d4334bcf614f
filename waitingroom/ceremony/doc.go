// Package ceremony makes the public statements about an event's draws, one after the other: commitment,
// cut-off, reveal, and the reset that ends an epoch; and it assembles the record that everybody can audit.
//
// Invariants:
//   - A statement is made once. Whoever makes it again, after a crash or beside another leader, gets the one that is there:
//     its number in the event's chain can be taken only once.
//   - The secret is drawn before the commitment and told in the reveal, and nowhere in between: it is in the
//     database beside the commitment, in no log line and no document.
//   - Which round of the beacon counts follows from the published rule and the time of the cut-off. Rounds are asked for in
//     their order, those given up as well, so whoever leads has nothing to choose.
//   - A lottery that nobody entered needs no beacon. Any other that no round came for is drawn without,
//     and says that it is not publicly verifiable.
package ceremony
