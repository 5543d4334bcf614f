// Package draw is the public draw of lots: ranks, the seed they follow from, the Merkle tree
// over the entry log, and the signed statements that commit to all of it beforehand.
//
// Invariants:
//   - A rank depends on the seed, the event, the epoch and the account's pseudonym, and on nothing else.
//   - The seed cannot be known before the beacon round, nor changed after the commitment and the
//     cut-off: secret, configuration and rule are committed before anybody enters, the log before the round.
//   - Statements of all epochs of an event form one chain of hashes. A reset adds to it; nothing is taken out.
//   - Nothing here reads a clock or a network.
package draw
