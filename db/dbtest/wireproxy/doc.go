// Package wireproxy stands on the wire between a program and its database and
// does to it what networks and databases do: it cuts lines, lets them go silent
// without closing, delays, loses answers, and makes the database refuse a statement.
//
// It speaks enough of PostgreSQL's protocol (which CockroachDB speaks too) to know where
// statements begin and end, whichever way they come: simple queries, prepared ones,
// pipelines that end in COMMIT, and COPY. What it strikes is therefore exact: "the
// answer of the third COMMIT", "the settlement after that".
//
// An injected error is not only told to the program: the statement never reaches the
// database, whose transaction is aborted, so that both ends believe the same.
package wireproxy

import (
	"fmt"
	"strings"
	"time"
)

// Kind is what a statement is for.
type Kind string

// The kinds. A Settlement is the tombstone that settles an unknown COMMIT.
const (
	Begin      Kind = "BEGIN"
	Read       Kind = "read"
	Write      Kind = "write"
	Copy       Kind = "COPY"
	Commit     Kind = "COMMIT"
	Rollback   Kind = "ROLLBACK"
	Settlement Kind = "settlement"
	Session    Kind = "session setting"
)

// Statement is a statement on its way to the database.
type Statement struct {
	Kind Kind
	SQL  string
	Line int // counts the program's connections, from 1
}

// Deed is what happens to a statement.
type Deed int

// The deeds. Cut closes the line; Silence leaves it open and says nothing more,
// so that only time-outs help; Fail makes the database refuse the statement; Delay holds it up.
const (
	Cut Deed = iota
	Silence
	Fail
	Delay
)

// Point is when it happens.
type Point int

// Before: the database never sees the statement. During: the program loses the line while
// the statement is on its way; the database gets it after Wait. After: the database has done it
// and its answer is lost. Fail and Delay have no point.
const (
	Before Point = iota
	During
	After
)

// Fault is a deed at a point.
type Fault struct {
	Deed  Deed
	Point Point
	Code  string        // SQLSTATE of Fail
	Wait  time.Duration // of Delay; how long the statement of a During is on its way
	Torn  bool          // Cut After: the first bytes of the answer arrive
}

var points = map[Point]string{Before: "before", During: "during", After: "after"}

// Name is the fault in words, for reports: "cut before COMMIT", "40001 at read".
func (f Fault) Name(kind Kind) string {
	switch f.Deed {
	case Fail:
		return f.Code + " at " + string(kind)
	case Delay:
		return "delay"
	case Silence:
		return "silent " + points[f.Point] + " " + string(kind)
	}
	return fmt.Sprintf("cut %s %s", points[f.Point], kind)
}

// Plan decides the fate of each statement before it is forwarded; nil lets it pass. It is called from many goroutines.
type Plan func(Statement) *Fault

// classify tells what a statement is for by how it begins. A query of several statements that ends in COMMIT is a COMMIT.
func classify(sql string) Kind {
	text := strings.ToLower(strings.TrimSpace(sql))
	for part := range strings.SplitSeq(text, ";") {
		if word := firstWord(part); word == "commit" || word == "end" {
			return Commit
		}
	}
	switch firstWord(text) {
	case "begin", "start":
		return Begin
	case "rollback", "abort":
		return Rollback
	case "copy":
		return Copy
	case "set", "reset", "show", "discard":
		return Session
	case "insert", "update", "delete", "upsert":
		if strings.Contains(text, "insert into outbox") && strings.Contains(text, "$2, 2,") {
			return Settlement
		}
		return Write
	case "select":
		if strings.Contains(text, "set_config(") {
			return Session
		}
	case "with":
		if strings.Contains(text, "insert into") || strings.Contains(text, "update ") || strings.Contains(text, "delete from") {
			return Write
		}
	}
	return Read
}

func firstWord(text string) string {
	text = strings.TrimSpace(text)
	if end := strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }); end >= 0 {
		return text[:end]
	}
	return text
}
