// Package checkout takes an order from a hold to tickets, whatever the payment provider does.
//
// What must stay true, and where it is made so:
//
//   - Answers do not wait for the provider: an order is made in the inventory's
//     transaction, its payment is opened behind it.
//   - Every call to a provider carries the attempt's id as its key, so that a
//     repeated call is the same call. Nobody answering is not a failure: the
//     attempt becomes UNKNOWN and is asked about until somebody says what happened.
//   - Webhooks are triggers, not truth. Whatever starts it (a new order, a
//     webhook, reconciliation, the fan's cancel), there is one path, settle: ask
//     the provider, compare with the order, act. Doing it twice changes nothing.
//   - Captured money is claimed once: either Sell turns it into tickets, or
//     RequestRefund sends it back. Both move the attempt to CAPTURED in their
//     transaction, so only one of them can win.
//   - Seats are freed last: after the provider confirmed that no money will come,
//     or, if it never answers, ten minutes past the hold's absolute end.
//   - What ended is asked about again: a payment that was cancelled for a day, a refund that was done for
//     days, because money comes late and refunds come back. A refund that is refused goes out again under
//     another key, a few times; then the order is in REVIEW and a person decides (Resolve).
//   - What is left to do is in the database (an attempt that is not final, a
//     delivery not processed, a refund not done), never only in memory: a killed
//     process loses nothing and any other may go on.
//
// Locks: one per attempt, inside the process, only to spare the provider
// duplicate questions. Correctness never rests on it.
package checkout
