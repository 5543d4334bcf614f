package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/draw"
)

// The kinds of messages, which are the first token of their subjects.
const (
	entryKind  = "entry"  // entry.<event>.<epoch>.<shard>.<pseudonym>: draw.Entry
	rebindKind = "rebind" // rebind.<event>.<epoch>.<shard>.<pseudonym>: rebinding, the newest counts
	codeKind   = "code"   // code.<event>.<hash>: the pseudonym that used it
	markKind   = "mark"   // mark.<event>.<epoch>: the log was read up to here
)

// AppendWait is how long an entry is waited for; CutAfter is how long after the on-sale instant none of the
// lottery can come any more. Between them lies what clocks of our machines may differ.
const (
	AppendWait = 2 * time.Second
	lotteryEnd = 2500 * time.Millisecond // after the on-sale instant, by the log's clock
	CutAfter   = 3 * time.Second
)

// lotteryUntil is a header of entries in the lottery: Unix milliseconds by the log's clock until which they count as such.
const lotteryUntil = "Plateia-Lottery-Until"

// rebinding moves an entry to another key.
type rebinding struct {
	Key string `json:"key"`
	At  int64  `json:"at"` // Unix milliseconds
}

// subjects name messages; region is empty where there is one.
type subjects struct{ region string }

func (s subjects) kind(k string) string {
	if s.region == "" {
		return k
	}
	return k + "." + s.region
}

func (s subjects) line(k string, key queue.Key) string {
	return s.kind(k) + "." + key.Event.String() + "." + strconv.FormatInt(key.Epoch, 10)
}

func (s subjects) of(k string, key queue.Key, pseudonym string) string {
	return fmt.Sprintf("%s.%d.%s", s.line(k, key), draw.ShardOf(pseudonym), pseudonym)
}

func (s subjects) code(event id.ID, hash draw.Digest) string {
	return s.kind(codeKind) + "." + event.String() + "." + hash.String()
}

func (s subjects) all() (patterns []string) {
	for _, k := range []string{entryKind, rebindKind, codeKind, markKind} {
		patterns = append(patterns, s.kind(k)+".>")
	}
	return patterns
}

// readEntry reads an entry as everybody must: one that came too late for the lottery, whatever kept it, is
// a late one of the instant at which the log got it.
func readEntry(data []byte, until string, stored time.Time) (draw.Entry, error) {
	var e draw.Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("store: not an entry: %w", err)
	}
	if until != "" && e.Class == draw.Lottery {
		last, err := strconv.ParseInt(until, 10, 64)
		if err != nil {
			return e, fmt.Errorf("store: %s: %w", lotteryUntil, err)
		}
		if stored.UnixMilli() > last {
			e.Class, e.EnteredAt = draw.Late, stored.UnixMilli()
		}
	}
	return e, e.Check()
}

// isEntry tells entries from marks among what a follower gets.
func isEntry(subject string) bool { return strings.HasPrefix(subject, entryKind+".") }
