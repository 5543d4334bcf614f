package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"

	"plateia/db"
	"plateia/waitingroom/audit"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// fetch reads a public document of the sale.
func (c *lineCrowd) fetch(resource string, read func(io.Reader) error) {
	c.t.Helper()
	answer, err := http.Get(c.url + "/v1/events/" + c.event.String() + "/" + resource)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := read(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		c.t.Fatalf("%s: %s, %v", resource, answer.Status, err)
	}
}

// operator is somebody who holds the installation's keys, as a dishonest operator does.
func (c *lineCrowd) operator() (a *token.Authority) {
	c.t.Helper()
	c.database(func(d *db.DB) error {
		keys, err := loadKeys(c.t.Context(), d)
		if err == nil {
			a, err = token.New(token.Options{Current: keys.token.current, Others: keys.token.others, PseudonymKey: keys.pseudonym})
		}
		return err
	})
	return a
}

// forger changes a real record and signs what is changed with the operator's own keys.
type forger struct {
	t  *testing.T
	by *token.Authority
	audit.Record
}

// statement reads one of the record's statements.
func (f *forger) statement(kind draw.Kind, into any) (at int) {
	f.t.Helper()
	at = slices.IndexFunc(f.Statements, func(s draw.Signed) bool { return s.Kind == kind })
	if at < 0 {
		f.t.Fatalf("no %s in the record", kind)
	}
	payload, _, err := f.by.Keys().Open(string(kind), f.Statements[at].Statement)
	if err == nil {
		err = json.Unmarshal(payload, into)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return at
}

// backDate moves somebody who came late into the lottery.
func (f *forger) backDate() {
	entries := f.Epochs[0].Entries
	at := slices.IndexFunc(entries, func(e draw.Entry) bool { return e.Class == draw.Late })
	if at < 0 {
		f.t.Fatal("nobody came late")
	}
	entries[at].Class, entries[at].EnteredAt = draw.Lottery, entries[at].EnteredAt-120_000
}

// changeSeed publishes another seed than the one that was drawn.
func (f *forger) changeSeed() {
	var r draw.Reveal
	at := f.statement(draw.RevealKind, &r)
	r.Seed[0] ^= 1
	signed, err := draw.Sign(f.by, draw.RevealKind, r)
	if err != nil {
		f.t.Fatal(err)
	}
	f.Statements[at] = signed
}

// reroll draws the epoch again with another secret, from its first statement on, and leaves out what would contradict.
func (f *forger) reroll() {
	var c draw.Commitment
	var cut draw.CutOff
	var r draw.Reveal
	f.statement(draw.CommitmentKind, &c)
	f.statement(draw.CutOffKind, &cut)
	f.statement(draw.RevealKind, &r)
	secret, book := draw.Digest{9}, draw.Book{Event: f.Event}
	c.Secret = draw.HashSecret(secret)
	_, err1 := book.Append(f.by, draw.CommitmentKind, c.Epoch, c.At, func(h draw.Head) any { c.Head = h; return c })
	_, err2 := book.Append(f.by, draw.CutOffKind, c.Epoch, cut.At, func(h draw.Head) any { cut.Head = h; return cut })
	_, err3 := book.Append(f.by, draw.RevealKind, c.Epoch, r.At, func(h draw.Head) any {
		again, err := draw.NewReveal(h, c, cut, secret, r.Beacon, r.Skipped)
		if err != nil {
			f.t.Fatal(err)
		}
		return again
	})
	if err := errors.Join(err1, err2, err3); err != nil {
		f.t.Fatal(err)
	}
	f.Statements = book.Statements
	f.Epochs[0].Frontiers, f.Epochs[0].Admissions = nil, nil
}

// moveBack publishes a document whose frontier is half as far as the last.
func (f *forger) moveBack() {
	all := f.Epochs[0].Frontiers
	d, err := frontier.Verify(f.by.Keys(), all[len(all)-1])
	if err != nil {
		f.t.Fatal(err)
	}
	d.Version, d.Time = d.Version+1, d.Time+1000
	d.Frontiers.Lottery[0] /= 2
	signed, err := d.Sign(f.by)
	if err != nil {
		f.t.Fatal(err)
	}
	f.Epochs[0].Frontiers = slices.Concat(all, []token.Statement{signed})
}

// checkRecord audits the sale from the outside, as anybody may, and finds what an operator who holds the keys could change in its record.
func (c *lineCrowd) checkRecord() {
	t := c.t
	var kept token.Statement
	c.fetch("frontier", func(body io.Reader) error { return json.NewDecoder(body).Decode(&kept) })
	seen := file(t, kept)
	out, err := call(t, "audit", "draw", "--event", c.event.String(), "--url", c.url, "--seen", seen)
	if err != nil {
		t.Errorf("the audit of the real sale: %v\n%s", err, out)
	}
	t.Logf("%s", out)
	for _, forgery := range []struct {
		name  string
		make  func(*forger)
		check string
		alone bool // consistent in itself: only what somebody kept shows it
	}{
		{"nothing is forged", func(*forger) {}, "", true},
		{"a back-dated entry", (*forger).backDate, "entries", false},
		{"a changed seed", (*forger).changeSeed, "seed", false},
		{"a re-rolled epoch", (*forger).reroll, "seen before", true},
		{"a forged frontier", (*forger).moveBack, "frontiers", false},
	} {
		t.Run(forgery.name, func(t *testing.T) {
			f := &forger{t: t, by: c.operator()}
			c.fetch("draw", func(body io.Reader) (err error) {
				f.Record, err = audit.Read(body)
				return err
			})
			forgery.make(f)
			if out, err := auditRecord(t, f.Record); (err == nil) != forgery.alone || !forgery.alone && !failed(out, forgery.check) {
				t.Errorf("alone: %v\n%s", err, out)
			}
			if out, err := auditRecord(t, f.Record, "--seen", seen); forgery.check != "" && (!errors.Is(err, errFailed) || !failed(out, forgery.check)) {
				t.Errorf("with what somebody kept: %v\n%s", err, out)
			}
		})
	}
}
