// Package httpcache keeps public documents in front of an origin, as a CDN does, so that
// the origin's work does not depend on how many ask.
//
// Invariants:
//   - One request per document is on its way to the origin at a time, whoever waits for it.
//   - What is asked of the origin carries nothing of who asks: no credential, no cookie, no address. So
//     an answer is the same for everybody, and a Set-Cookie in it is dropped.
//   - max-age, stale-while-revalidate and stale-if-error are kept to the letter (RFC 9111, RFC 5861). A reader's own
//     Cache-Control is not: a crowd that reloads must not reach the origin.
//   - Date stays the origin's and Age is what has passed since, so that Date + Age is the time now: countdowns rest on it.
//   - A refusal is remembered for a second, a failure of the origin too: neither a wrong address nor a broken
//     origin is asked about by everybody.
//   - Room is bounded in bytes; what was not asked for the longest goes first.
package httpcache
