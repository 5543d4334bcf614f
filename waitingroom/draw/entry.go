package draw

import (
	"crypto/sha256"
	"errors"
	"strconv"
	"time"

	"plateia/core/account"
	"plateia/core/event"
)

// Class says which line an entry stands in, as in the ticket for it.
type Class = account.Class

// The classes. Whoever enters before the on-sale instant is in the lottery.
const (
	Lottery = account.Lottery
	Late    = account.Late
)

// ClassAt is the class of an entry: never the lottery at or after the on-sale instant.
func ClassAt(entered, onSale time.Time) Class {
	if entered.Before(onSale) {
		return Lottery
	}
	return Late
}

// Entry is one account's entry in the log of an epoch; the first one counts, for ever.
type Entry struct {
	Pseudonym string `json:"pseudonym"` // of the account, for this event only
	Class     Class  `json:"class"`
	Tier      int    `json:"tier"`    // 0 is served first
	EnteredAt int64  `json:"entered"` // Unix milliseconds
	KeyThumb  string `json:"key"`     // RFC 7638 thumbprint of the key it was made with
}

// Bounds of an entry.
const (
	maxPseudonym = 64
	maxKeyThumb  = 64
	MaxTiers     = event.MaxTiers
)

// Check refuses an entry that could be read as another one, or is out of bounds.
func (e Entry) Check() error {
	switch {
	case !plain(e.Pseudonym, maxPseudonym) || !plain(e.KeyThumb, maxKeyThumb):
		return errors.New("draw: pseudonym and key are base64url")
	case e.Class != Lottery && e.Class != Late:
		return errors.New("draw: no such class")
	case e.Tier < 0 || e.Tier >= MaxTiers || e.EnteredAt <= 0:
		return errors.New("draw: tier or time is out of bounds")
	}
	return nil
}

// plain is true for base64url text, in which no bar can stand.
func plain(text string, most int) bool {
	for i := range len(text) {
		switch b := text[i]; {
		case b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '-', b == '_':
		default:
			return false
		}
	}
	return text != "" && len(text) <= most
}

// Leaf is the entry's hash in the log's tree: SHA-256 of a zero byte and
// "pseudonym|class|tier|milliseconds|key".
func (e Entry) Leaf() Digest {
	text := make([]byte, 0, 160)
	text = append(append(append(text, 0), e.Pseudonym...), '|')
	text = append(append(text, e.Class...), '|')
	text = append(strconv.AppendInt(text, int64(e.Tier), 10), '|')
	text = append(strconv.AppendInt(text, e.EnteredAt, 10), '|')
	return sha256.Sum256(append(text, e.KeyThumb...))
}

// Shards is how many parts the log has, so that no part takes more than its keeper can.
const Shards = 256

// ShardOf is the part of the log that keeps an account's entry: the first byte of the
// pseudonym's SHA-256.
func ShardOf(pseudonym string) int {
	sum := sha256.Sum256([]byte(pseudonym))
	return int(sum[0])
}
