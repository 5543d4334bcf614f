// Package mint gives places: it checks who asks, enters the account in the log, and signs the queue ticket
// for the entry that is there then.
//
// Invariants:
//   - The log decides. What is minted is what the log keeps, however often and from wherever it is asked for.
//   - Nothing is asked of an account that has an entry: a challenge that fails on some phone, a code that is
//     mistyped later, never cost a place. What goes wrong before there is an entry leaves nothing behind.
//   - The class follows from the clock at the moment of the entry, after all checks.
//   - A ticket is bound to one key. It moves to another only with a sign-in that is newer than the binding,
//     and once a minute at most.
package mint
