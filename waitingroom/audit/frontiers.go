package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
)

// frontiers checks the documents that were published: signatures, versions, what was drawn, and that
// no frontier was ever moved back, also in what a document says of the past.
func (a *auditor) frontiers(e *epoch) {
	if e.data == nil || len(e.data.Frontiers) == 0 {
		a.report.skip(e.number, "frontiers", "the record carries no frontier documents")
		return
	}
	var wrong error
	var last *frontier.Document
	var points []frontier.Point
	for i, signed := range e.data.Frontiers {
		d, err := frontier.Verify(a.trust, signed)
		if err == nil {
			err = e.checkDocument(a, d)
		}
		if err == nil && last != nil && !d.Newer(last) {
			err = fmt.Errorf("its version %d is not above %d", d.Version, last.Version)
		}
		if err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("document %d: %w", i+1, err))
			continue
		}
		last = d
		points = append(append(points, d.Point()), d.History...)
	}
	wrong = errors.Join(wrong, monotone(points))
	a.report.add(e.number, "frontiers", wrong, "%d documents, none moved back", len(e.data.Frontiers))
}

func (e *epoch) checkDocument(a *auditor, d *frontier.Document) error {
	switch {
	case d.Event != a.Event || d.Epoch != e.number:
		return errors.New("it is of another event or epoch")
	case d.Commitment != e.names[draw.CommitmentKind]:
		return errors.New("it names another commitment")
	case d.Seed == nil:
		return nil // before the draw
	case *d.Seed != e.reveal.Seed || d.CutOff != e.names[draw.CutOffKind]:
		return errors.New("it names another draw")
	case d.Verifiable != (e.reveal.Beacon != nil):
		return errors.New("it does not tell whether the draw can be verified")
	case e.counted && !slices.Equal(inUse(d.Line.Tiers), inUse(e.tiers)):
		return fmt.Errorf("it counts %v entries by tier, the log has %v", d.Line.Tiers, e.tiers)
	}
	return nil
}

// inUse are the tiers up to the last that somebody is in.
func inUse(tiers []int64) []int64 {
	for len(tiers) > 0 && tiers[len(tiers)-1] == 0 {
		tiers = tiers[:len(tiers)-1]
	}
	return tiers
}

// monotone checks all points of all documents in the order of time.
func monotone(points []frontier.Point) error {
	slices.SortStableFunc(points, func(p, q frontier.Point) int { return int(p.Time - q.Time) })
	for i := 1; i < len(points); i++ {
		before, here := points[i-1], points[i]
		forward := notBehind(here, before)
		if before.Time == here.Time { // two documents in one millisecond: either may be the later
			forward = forward || notBehind(before, here)
		}
		if !forward {
			return fmt.Errorf("at %d ms the frontiers are behind where they were at %d ms", here.Time, before.Time)
		}
	}
	return nil
}

func notBehind(here, before frontier.Point) bool {
	return here.Frontiers.Equal(here.Frontiers.Later(before.Frontiers))
}

// admissions checks that everybody who was let in was behind the frontier of their document.
func (a *auditor) admissions(e *epoch) {
	if e.data == nil || e.data.Admissions == nil || e.ranks == nil {
		a.report.skip(e.number, "admissions", "the record carries no admissions")
		return
	}
	var documents []*frontier.Document
	for _, signed := range e.data.Frontiers {
		if d, err := frontier.Verify(a.trust, signed); err == nil {
			documents = append(documents, d)
		}
	}
	slices.SortFunc(documents, func(x, y *frontier.Document) int { return cmp.Compare(x.Version, y.Version) })
	var wrong problems
	between := 0
	for _, admission := range e.data.Admissions {
		own, known := e.ranks[admission.Pseudonym]
		if !known {
			wrong.add(draw.Entry{Pseudonym: admission.Pseudonym}, errors.New("let in without an entry in the log"))
			continue
		}
		exact, err := inTurn(documents, admission.Version, e.ticket(a, own))
		wrong.add(own.entry, err)
		if !exact {
			between++
		}
	}
	a.report.add(e.number, "admissions", wrong.err(), "%d, each behind the frontier", len(e.data.Admissions))
	if between > 0 {
		a.report.skip(e.number, "admissions in between", fmt.Sprintf("%d were let in by documents that the record does not carry: that they were behind the next it does is all that it shows", between))
	}
}

// inTurn checks a ticket against the documents of a record, in order. When none up to the version shows it behind the
// frontier, and the version itself is not among them, the next one must; then exact is false.
func inTurn(documents []*frontier.Document, version uint64, t frontier.Ticket) (exact bool, err error) {
	at, carried := slices.BinarySearchFunc(documents, version, func(d *frontier.Document, v uint64) int { return cmp.Compare(d.Version, v) })
	before := at
	if carried {
		before++
	}
	if before > 0 && documents[before-1].Frontiers.Reaches(t) {
		return true, nil
	}
	switch {
	case carried:
		return true, fmt.Errorf("let in before its turn, by version %d", version)
	case at == len(documents): // of the moments since the last that was kept
		return false, nil
	case !documents[at].Frontiers.Reaches(t):
		return true, fmt.Errorf("let in before its turn, by version %d", version)
	}
	return false, nil
}

func (e *epoch) ticket(a *auditor, r ranked) frontier.Ticket {
	return frontier.Ticket{Event: a.Event, Epoch: e.number, Class: r.entry.Class, Tier: r.entry.Tier, Second: r.entry.EnteredAt / 1000, Rank: r.rank}
}
