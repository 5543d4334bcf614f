package simulate

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// Result is what a run came to. Percentages are of the target.
type Result struct {
	Fans                    int     `json:"fans"`
	Scenario                string  `json:"scenario"`
	Minutes                 int     `json:"minutes"`
	Target                  int     `json:"target"`
	OccupancyMaxPct         float64 `json:"occupancyMaxPct"`
	OccupancyMinFullPct     float64 `json:"occupancyMinFullPct"`     // once full, without pauses and three minutes after them and after changes
	PresentMinFullPct       float64 `json:"presentMinFullPct"`       // as above, without those whose departure was not noticed yet
	FullAfterSeconds        int     `json:"fullAfterSeconds"`        // from the draw to 95 %; -1: never
	RecoverySeconds         int     `json:"recoverySeconds"`         // the longest time to 95 % again after a pause or change
	PositionErrorMax        float64 `json:"positionErrorMax"`        // in standard errors, of the fans asked
	OriginRequestsPerSecond float64 `json:"originRequestsPerSecond"` // for the frontier document, while anybody asks for it
	PollsPerSecondMax       float64 `json:"pollsPerSecondMax"`       // at the edge
	Lottery                 int     `json:"lottery"`
	Late                    int     `json:"late"`
	Called                  int     `json:"called"`
	Admitted                int     `json:"admitted"`
	SecondChance            int     `json:"secondChance"`   // admitted after they had missed their turn
	AtDoorMax               int     `json:"atDoorMax"`      // told "one moment" at the same time
	RankUniformity          float64 `json:"rankUniformity"` // probability of lots as uneven as those of the admitted, by how many showed up
	DocumentBytesMax        int     `json:"documentBytesMax"`
	SignaturesSampled       int     `json:"signaturesSampled"` // fans whose tickets were really signed and verified
	LogRoot                 string  `json:"logRoot"`
	WallSeconds             float64 `json:"wallSeconds"`
}

// Series are the run by seconds.
type Series struct {
	Inside, Served, Entered, Admitted []float64
}

// sharedCache is the edge's cache of the document with request collapsing: however many ask, it asks
// the origin when its copy is old.
type sharedCache struct {
	fetched  int
	has      bool
	requests int
	seconds  int // in which anybody asked
}

// perSecond is how often the origin was asked while anybody asked the cache: a short line is no argument.
func (c *sharedCache) perSecond() float64 { return float64(c.requests) / float64(max(c.seconds, 1)) }

func (c *sharedCache) serve(now int, asked bool, stale float64) {
	if !asked {
		return
	}
	c.seconds++
	if !c.has || float64(now-c.fetched) >= max(1, stale) {
		c.fetched, c.has = now, true
		c.requests++
	}
}

const recovery = 180 // seconds that a change of behaviour and the end of a pause excuse

func (w *world) measure(now int, b Behaviour, since float64) {
	w.series.Inside = append(w.series.Inside, float64(w.room.inside))
	w.series.Served = append(w.series.Served, float64(w.lottery+w.late))
	w.series.Entered = append(w.series.Entered, float64(len(w.crowd.lottery))+float64(w.entered))
	w.series.Admitted = append(w.series.Admitted, float64(w.room.admitted))
	pct := 100 * float64(w.room.inside) / float64(w.Target)
	w.out.OccupancyMaxPct = max(w.out.OccupancyMaxPct, pct)
	w.out.AtDoorMax = max(w.out.AtDoorMax, len(w.room.door))
	if !w.full && pct >= 95 {
		w.full, w.out.FullAfterSeconds = true, now-drawTakes
		w.out.PresentMinFullPct = 100
	}
	if since == 0 || b.Paused || b.Breaker {
		w.changed = now
	}
	stopped := b.Paused || b.Breaker
	if w.changed >= 0 && !stopped && pct < 95 && !w.dry && now-w.changed < 10*60 {
		w.out.RecoverySeconds = max(w.out.RecoverySeconds, now-w.changed)
	}
	if excused := stopped || since >= 0 && since < recovery || w.dry || w.waiting() == 0; w.full && !excused {
		w.out.OccupancyMinFullPct = min(w.out.OccupancyMinFullPct, pct)
		w.out.PresentMinFullPct = min(w.out.PresentMinFullPct, 100*float64(w.room.present)/float64(w.Target))
	}
}

// measurePlaces asks fans of the lottery for their places, and counts who is really before them.
func (w *world) measurePlaces(now int) {
	const fans, slots = 20, 64
	left := len(w.crowd.lottery) - w.lottery
	for i := range min(fans, left) {
		at := w.lottery + int(chance(uint64(now), uint64(30+i))*float64(left))
		place, ok := w.doc.Place(frontier.Ticket{Event: w.doc.Event, Epoch: 1, Class: draw.Lottery, Rank: w.crowd.lottery[at]})
		if ok && place.StandardError > 0 {
			off := math.Abs(place.Ahead-float64(at-w.lottery)) / place.StandardError
			w.out.PositionErrorMax = max(w.out.PositionErrorMax, off)
		}
	}
	polls := 0.0
	for slot := range min(slots, left) {
		at := w.lottery + left*slot/min(slots, left)
		place, _ := w.doc.Place(frontier.Ticket{Event: w.doc.Event, Epoch: 1, Class: draw.Lottery, Rank: w.crowd.lottery[at]})
		polls += float64(w.waiting()) / float64(min(slots, left)) / w.doc.Poll.Delay(place.Low).Seconds()
	}
	w.out.PollsPerSecondMax = max(w.out.PollsPerSecondMax, polls)
	text, _ := json.Marshal(w.doc)
	w.out.DocumentBytesMax = max(w.out.DocumentBytesMax, len(text))
}

func (w *world) finish(began time.Time) Result {
	r := w.out
	r.Lottery, r.Late, r.Called, r.Admitted = len(w.crowd.lottery), len(w.crowd.late), w.lottery+w.late, w.room.admitted
	r.OriginRequestsPerSecond = w.cache.perSecond()
	r.SignaturesSampled, r.LogRoot = w.signs.sampled, w.crowd.root.String()
	if math.IsInf(r.OccupancyMinFullPct, 1) {
		r.OccupancyMinFullPct = 0
	}
	r.RankUniformity = w.uniformity(&r)
	for _, v := range []*float64{&r.OccupancyMaxPct, &r.OccupancyMinFullPct, &r.PresentMinFullPct, &r.PositionErrorMax, &r.OriginRequestsPerSecond, &r.PollsPerSecondMax} {
		*v = math.Round(*v*1000) / 1000
	}
	r.WallSeconds = math.Round(time.Since(began).Seconds()*10) / 10
	return r
}

// bins of the test of the lots.
const bins = 32

// stretch is a part of the lottery's ranks that was called at once, and the share of its holders who showed up in their turn.
type stretch struct{ from, to, show float64 }

// called notes how far the lottery's frontier has come.
func (w *world) called(to float64, b Behaviour) {
	from := 0.0
	if n := len(w.stretches); n > 0 {
		from = w.stretches[n-1].to
	}
	if to > from {
		w.stretches = append(w.stretches, stretch{from, to, b.shows()})
	}
}

// uniformity is the probability of lots as uneven as those of the admitted of the lottery, by the chi-square test. Where more
// holders show up there are more of them; only those count whose window was open for ten minutes.
func (w *world) uniformity(r *Result) float64 {
	limit := w.doc.Frontiers.Lottery[0].Fraction() / 2
	if len(w.doc.History) > 0 {
		limit = w.doc.History[0].Frontiers.Lottery[0].Fraction()
	}
	var counts, weights [bins]float64
	for _, s := range w.stretches {
		for i := range bins {
			low, high := limit*float64(i)/bins, limit*float64(i+1)/bins
			weights[i] += s.show * max(min(s.to, high)-max(s.from, low), 0)
		}
	}
	total, weight := 0.0, 0.0
	for _, c := range w.room.admittedAt {
		if c.second {
			r.SecondChance++
		}
		if u := c.ticket.Rank.Fraction() / limit; c.ticket.Class == draw.Lottery && !c.second && u < 1 {
			counts[int(u*bins)]++
			total++
		}
	}
	for _, v := range weights {
		weight += v
	}
	chi := 0.0
	for i, n := range counts {
		want := max(total*weights[i]/max(weight, 1e-12), 1)
		chi += (n - want) * (n - want) / want
	}
	k := float64(bins - 1)
	z := (math.Cbrt(chi/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k))
	return math.Round(math.Erfc(z/math.Sqrt2)/2*1e6) / 1e6
}

// signer makes and verifies real signatures for a few fans and documents.
type signer struct {
	authority *token.Authority
	ranker    *draw.Ranker
	now       time.Time
	last      *frontier.Document
	sampled   int
}

func newSigner(event id.ID, seed draw.Digest, onSale time.Time) (*signer, error) {
	s := &signer{now: onSale, ranker: draw.NewRanker(seed, event, 1)}
	a, err := token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32), Now: func() time.Time { return s.now }})
	s.authority = a
	return s, err
}

// check signs a document and twenty tickets, verifies them, and asks the gate.
func (s *signer) check(d *frontier.Document, now time.Time) error {
	s.now = now
	signed, err := d.Sign(s.authority)
	if err != nil {
		return err
	}
	read, err := frontier.Verify(s.authority.Keys(), signed)
	if err != nil || !read.Newer(s.last) {
		return fmt.Errorf("simulate: the document of version %d is not believed: %w", d.Version, err)
	}
	s.last = read
	for i := range 20 {
		name := fmt.Sprintf("sample-%d-%d", d.Version, i)
		text, _, err := s.authority.MintTicket(account.QueueTicket{
			Event: d.Event, Epoch: d.Epoch, Pseudonym: name, Class: account.Lottery, EnteredAt: now.Add(-time.Minute), KeyThumb: "k",
		})
		if err != nil {
			return err
		}
		back, err := s.authority.Ticket(text)
		if err != nil {
			return err
		}
		t := frontier.Ticket{Event: back.Event, Epoch: back.Epoch, Class: back.Class, Second: back.EnteredAt.Unix(), Rank: s.ranker.Rank(back.Pseudonym)}
		if reached, open := read.Frontiers.Reaches(t), read.Gate(t, now).State != frontier.Waiting; reached != open {
			return fmt.Errorf("simulate: the gate says %v for %s", open, t.Rank)
		}
		s.sampled++
	}
	return nil
}
