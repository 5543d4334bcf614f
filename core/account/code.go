package account

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/big"
	"time"

	"plateia/core/fault"
)

// The rules of one-time codes.
const (
	CodeLife  = 10 * time.Minute
	CodeTries = 5 // wrong guesses per code; then a new code is needed

	firstCoolDown = 30 * time.Second // between two codes to one address; doubles with each code …
	maxCoolDown   = 15 * time.Minute // … up to this, …
	coolDownReset = time.Hour        // … and starts over after a quiet hour
)

// Code is the one live sign-in code of an address. Only a keyed hash of it is kept.
type Code struct {
	Email     string
	Hash      []byte // empty once used
	ExpiresAt time.Time
	Tries     int // wrong ones so far
	Sent      int // codes in a row without a quiet hour; sets the cool-down
	SentAt    time.Time
}

// newDigits draws six digits, all equally likely.
func newDigits() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return fmt.Sprintf("%06d", n.Int64())
}

// hashCode binds a code to its address under a secret: six digits alone could be
// found from a plain hash in a second.
func hashCode(secret []byte, email, digits string) []byte {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s\x00%s", email, digits)
	return mac.Sum(nil)
}

// issue decides whether an address may get a code now, and replaces the one it
// had. prev is nil when there is none.
func issue(now time.Time, prev *Code, email string, hash []byte) (Code, error) {
	next := Code{Email: email, Hash: hash, ExpiresAt: now.Add(CodeLife), Sent: 1, SentAt: now}
	if prev == nil || now.Sub(prev.SentAt) >= coolDownReset {
		return next, nil
	}
	if free := prev.SentAt.Add(coolDown(prev.Sent)); now.Before(free) {
		return *prev, fault.New(fault.RateLimited, "a code was sent a moment ago; please wait before asking for another").
			With("resetAt", free.UTC().Format(time.RFC3339)).After(free.Sub(now))
	}
	next.Sent = prev.Sent + 1
	return next, nil
}

// coolDown is the wait after the sent-th code in a row.
func coolDown(sent int) time.Duration {
	d := firstCoolDown
	for range min(sent-1, 10) {
		d *= 2
	}
	return min(d, maxCoolDown)
}

// check decides about a guess. A right one uses the code up; a wrong one counts.
// Unknown address, expired, used and wrong all answer alike.
func check(now time.Time, prev *Code, hash []byte) (Code, error) {
	wrong := fault.New(fault.Unauthenticated, "the code is wrong or has expired")
	if prev == nil {
		return Code{}, wrong
	}
	next := *prev
	if len(prev.Hash) == 0 || !now.Before(prev.ExpiresAt) || prev.Tries >= CodeTries {
		return next, wrong
	}
	if !hmac.Equal(prev.Hash, hash) {
		next.Tries++
		return next, wrong
	}
	next.Hash, next.Sent = nil, 0
	return next, nil
}

func validDigits(s string) bool {
	if len(s) != 6 {
		return false
	}
	for _, b := range []byte(s) {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}
