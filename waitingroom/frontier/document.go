package frontier

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"plateia/core/id"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/token"
)

// Phase says what the line is doing.
type Phase string

// The phases.
const (
	Before  Phase = "before"  // entries are taken, nothing is drawn
	Drawing Phase = "draw"    // the log is cut off, the beacon is waited for
	Open    Phase = "open"    // the frontiers move
	Paused  Phase = "paused"  // nobody claims, and no clock runs
	SoldOut Phase = "soldout" // nothing is left
	Ended   Phase = "ended"
)

// Bounds of a document. MaxSize is of its payload, in bytes.
const (
	MaxSize    = 64 << 10
	maxPoints  = 128
	maxRevoked = 64
	maxMessage = 500 // bytes of text in one language
)

// Point is where the frontiers were at a moment.
type Point struct {
	Time      int64     `json:"time"`   // Unix milliseconds
	PausedMS  int64     `json:"paused"` // time in pauses until then
	Frontiers Frontiers `json:"frontiers"`
}

// Active is the time without pauses, in milliseconds; claim clocks run in it.
func (p Point) Active() int64 { return p.Time - p.PausedMS }

// Rate is how many tickets a second the frontier moves over, with its spread over the last minutes.
type Rate struct {
	PerSecond float64 `json:"perSecond"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
}

// Poll says how often a page asks again: its wait over Divisor, within floor and ceiling.
type Poll struct {
	FloorMS   int64 `json:"floorMS"`
	CeilingMS int64 `json:"ceilingMS"`
	Divisor   int64 `json:"divisor"`
}

// Delay is the time until the next question of a fan who probably waits as long as wait; zero: not known.
func (p Poll) Delay(wait time.Duration) time.Duration {
	floor, ceiling := time.Duration(p.FloorMS)*time.Millisecond, time.Duration(p.CeilingMS)*time.Millisecond
	if wait <= 0 || p.Divisor < 1 {
		return ceiling
	}
	return min(max(wait/time.Duration(p.Divisor), floor), ceiling)
}

// Message is what the operator has to say: why, in words for each language, and when more is known.
type Message struct {
	Reason     string            `json:"reason"` // for programs: "payment", "venue", …
	Text       map[string]string `json:"text"`   // by language tag
	NextUpdate time.Time         `json:"nextUpdate"`
}

// Document is the frontier document of an event.
type Document struct {
	Version     uint64       `json:"version"`
	Event       id.ID        `json:"event"`
	Epoch       int64        `json:"epoch"`
	Time        int64        `json:"time"` // Unix milliseconds, the server's
	Phase       Phase        `json:"phase"`
	OnSaleAt    time.Time    `json:"onSaleAt"`
	Commitment  draw.Digest  `json:"commitment"` // names of the draw's statements
	CutOff      draw.Digest  `json:"cutOff"`
	Seed        *draw.Digest `json:"seed"`       // null before the draw
	Verifiable  bool         `json:"verifiable"` // the seed contains a beacon round
	Frontiers   Frontiers    `json:"frontiers"`
	Line        Line         `json:"line"`
	Rate        Rate         `json:"rate"`
	ClaimWindow int64        `json:"claimWindow"`           // seconds without pauses
	PausedMS    int64        `json:"paused"`                // in pauses that are over
	PausedSince int64        `json:"pausedSince,omitempty"` // Unix milliseconds; 0: not paused
	History     []Point      `json:"history"`
	Poll        Poll         `json:"poll"`
	Message     *Message     `json:"message,omitempty"`
	Revoked     []string     `json:"revoked,omitempty"` // kids whose credentials are not accepted any more
}

// Point is where the document itself stands.
func (d *Document) Point() Point {
	paused := d.PausedMS
	if d.PausedSince > 0 {
		paused += d.Time - d.PausedSince
	}
	return Point{d.Time, paused, d.Frontiers}
}

// active is the time without pauses at an instant, in milliseconds, as far as this document
// knows. The document's own time is the least: a reader's clock may be slow.
func (d *Document) active(now time.Time) int64 {
	if d.PausedSince > 0 {
		return d.PausedSince - d.PausedMS
	}
	return max(now.UnixMilli(), d.Time) - d.PausedMS
}

// Next is a newer document: change sets what is new, and time, version, pauses, history and
// the order of frontiers follow. It fails when change did what no newer document may do.
func Next(old *Document, now time.Time, change func(*Document)) (*Document, error) {
	d := *old
	d.Frontiers.Lottery = slices.Clone(old.Frontiers.Lottery)
	change(&d)
	d.Version, d.Time = old.Version+1, max(now.UnixMilli(), old.Time)
	switch {
	case d.Event != old.Event || d.Epoch != old.Epoch:
		return nil, errors.New("frontier: a newer document is of the same event and epoch; Restart begins another")
	case d.ClaimWindow < old.ClaimWindow:
		return nil, errors.New("frontier: the claim window never gets shorter")
	case old.Seed != nil && (d.Seed == nil || *d.Seed != *old.Seed || !slices.Equal(d.Line.Tiers, old.Line.Tiers)):
		return nil, errors.New("frontier: what was drawn stays")
	case old.Phase == Ended && d.Phase != Ended:
		return nil, errors.New("frontier: the event has ended")
	}
	if len(d.Frontiers.Lottery) < len(d.Line.Tiers) {
		d.Frontiers.Lottery = append(d.Frontiers.Lottery, make([]draw.Rank, len(d.Line.Tiers)-len(d.Frontiers.Lottery))...)
	}
	d.Frontiers = d.Frontiers.Later(old.Frontiers)
	d.PausedMS, d.PausedSince = old.PausedMS, old.PausedSince
	switch {
	case d.Phase == Paused && old.PausedSince == 0:
		d.PausedSince = d.Time
	case d.Phase != Paused && old.PausedSince > 0:
		d.PausedMS, d.PausedSince = old.PausedMS+d.Time-old.PausedSince, 0
	}
	d.History = d.remember(old.History)
	return &d, d.check()
}

// remember adds the document's own point when the last is old enough, and lets those go
// that began before every window that is still open, but for the newest of them.
func (d *Document) remember(history []Point) []Point {
	window, here := d.ClaimWindow*1000, d.Point()
	history = slices.Clone(history)
	if n := len(history); n == 0 || here.Active()-history[n-1].Active() >= window/spacing {
		history = append(history, here)
	}
	first := 0
	for first+1 < len(history) && here.Active()-history[first+1].Active() > window {
		first++
	}
	return history[first:]
}

// spacing is how many points fall into one claim window.
const spacing = 60

// Restart is the first document of another epoch. Versions go on, and old tickets are told "event restarted".
func Restart(old *Document, now time.Time, commitment draw.Digest) *Document {
	return &Document{
		Version: old.Version + 1, Event: old.Event, Epoch: old.Epoch + 1, Time: max(now.UnixMilli(), old.Time), Phase: Before,
		OnSaleAt: old.OnSaleAt, Commitment: commitment, ClaimWindow: old.ClaimWindow, Poll: old.Poll, Revoked: old.Revoked,
	}
}

// check refuses a document that is out of bounds or contradicts itself.
func (d *Document) check() error {
	switch {
	case d.Version == 0 || d.Epoch < 1 || d.Event.IsZero() || d.ClaimWindow < 1:
		return errors.New("frontier: incomplete document")
	case !slices.Contains([]Phase{Before, Drawing, Open, Paused, SoldOut, Ended}, d.Phase):
		return errors.New("frontier: no such phase")
	case len(d.Line.Tiers) > draw.MaxTiers || len(d.Frontiers.Lottery) != len(d.Line.Tiers):
		return errors.New("frontier: tiers and frontiers do not match")
	case len(d.History) > maxPoints || len(d.Line.Late) > maxArrivals || len(d.Revoked) > maxRevoked:
		return errors.New("frontier: document too long")
	case (d.Phase == Paused) != (d.PausedSince > 0):
		return errors.New("frontier: paused without a beginning")
	}
	if d.Message != nil {
		for _, text := range d.Message.Text {
			if len(text) > maxMessage {
				return errors.New("frontier: message too long")
			}
		}
	}
	return nil
}

// Kind is the typ of a signed document.
const Kind = "frontier+jws"

// sealer is token.Authority.
type sealer interface {
	Seal(typ string, payload []byte) token.Statement
}

// Sign seals a document. It fails when the document is out of bounds.
func (d *Document) Sign(by sealer) (token.Statement, error) {
	if err := d.check(); err != nil {
		return token.Statement{}, err
	}
	payload, err := json.Marshal(d)
	if err == nil && len(payload) > MaxSize {
		err = errors.New("frontier: document too long")
	}
	return by.Seal(Kind, payload), err
}

// Verify reads a signed document.
func Verify(keys token.Keys, s token.Statement) (*Document, error) {
	if len(s.Payload) > 2*MaxSize {
		return nil, errors.New("frontier: document too long")
	}
	payload, _, err := keys.Open(Kind, s)
	if err != nil {
		return nil, err
	}
	d := &Document{}
	if err := json.Unmarshal(payload, d); err != nil {
		return nil, err
	}
	return d, d.check()
}

// Newer is true when a reader who holds have must take d instead. Versions alone decide.
func (d *Document) Newer(have *Document) bool {
	return have == nil || d.Event == have.Event && d.Version > have.Version
}
