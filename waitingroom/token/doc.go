// Package token mints and verifies the signed credentials: account session,
// queue ticket and access token (Ed25519 JWTs), and verifies proofs of key
// possession (DPoP, RFC 9449).
//
// Invariants:
//   - alg, typ, iss, aud and kid are pinned per kind of credential; one kind can
//     never stand for another, and a token never chooses how it is verified.
//   - Every refusal is fault.Unauthenticated with the same text: what was wrong
//     is in the cause, for the log, and nowhere else.
//   - Tokens are looked at only up to MaxSize bytes and only in the one
//     spelling we mint: no padding, no line breaks, no spare bits.
package token

// MaxSize is the longest credential that is looked at, in bytes.
const MaxSize = 2048
