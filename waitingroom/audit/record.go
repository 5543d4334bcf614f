// Package audit checks the public record of a draw: whoever holds the file and this program
// needs nothing and nobody else.
//
// Invariants:
//   - Audit is a pure function of the record and of what the auditor has kept or knows.
//   - Every check has a name and is reported, also one that could not be made: silence is not success.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"plateia/core/id"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/token"
)

// MaxRecord is the longest record that is read, in bytes: ten million entries have about 1.6 GB.
const MaxRecord = 4 << 30

// Record is the public record of an event's draws: all epochs, those that were reset too.
type Record struct {
	Version    int             `json:"version"` // draw.Version
	Event      id.ID           `json:"event"`
	Keys       json.RawMessage `json:"keys"` // JSON Web Key Set of the operator
	Statements []draw.Signed   `json:"statements"`
	Epochs     []Epoch         `json:"epochs"`
}

// Epoch is what one epoch left behind beside its statements.
type Epoch struct {
	Epoch      int64             `json:"epoch"`
	Entries    []draw.Entry      `json:"entries"`    // each shard's in the order of its log
	Frontiers  []token.Statement `json:"frontiers"`  // documents as they were published, some or all
	Admissions []Admission       `json:"admissions"` // places that were claimed
}

// Admission is one place that was claimed.
type Admission struct {
	Pseudonym string `json:"pseudonym"`
	Version   uint64 `json:"version"` // of the frontier document that let it through
}

// Read reads a record; it fails on anything behind it and on members it does not know.
func Read(r io.Reader) (Record, error) {
	limited := &io.LimitedReader{R: r, N: MaxRecord}
	in := json.NewDecoder(limited)
	in.DisallowUnknownFields()
	var record Record
	if err := in.Decode(&record); err != nil {
		return Record{}, fmt.Errorf("audit: not a record of a draw: %w", err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) || limited.N == 0 {
		return Record{}, errors.New("audit: there is more behind the record, or it is too long")
	}
	if record.Version != draw.Version {
		return Record{}, fmt.Errorf("audit: this program reads records of version %d, not %d", draw.Version, record.Version)
	}
	return record, nil
}

// Result of a check.
type Result string

// The results.
const (
	OK         Result = "ok"
	Failed     Result = "failed"
	NotChecked Result = "not checked"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Epoch  int64  `json:"epoch,omitempty"` // 0: of the whole record
	Result Result `json:"result"`
	Detail string `json:"detail"`
}

// Report is everything that was looked at.
type Report struct {
	Event    id.ID   `json:"event"`
	Checks   []Check `json:"checks"`
	Failures int     `json:"failures"`
	Rank     string  `json:"rank,omitempty"`  // of the account that was asked for, in its last epoch
	Place    int64   `json:"place,omitempty"` // in its tier, from 1
}

func (r *Report) add(epoch int64, name string, err error, detail string, args ...any) {
	c := Check{Name: name, Epoch: epoch, Result: OK, Detail: fmt.Sprintf(detail, args...)}
	if err != nil {
		c.Result, c.Detail = Failed, err.Error()
		r.Failures++
	}
	r.Checks = append(r.Checks, c)
}

func (r *Report) skip(epoch int64, name, why string) {
	r.Checks = append(r.Checks, Check{name, epoch, NotChecked, why})
}
