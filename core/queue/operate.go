package queue

import (
	"time"

	"plateia/core/id"
)

// Moment is a room in numbers at an instant: one row of its history. Counts are of the epoch and only grow, but for
// those of now (Inside, AtDoor).
type Moment struct {
	At        time.Time
	Version   int64  // of the frontier document
	Phase     string // before, draw, open, paused, soldout, ended
	Reason    string // why nobody or fewer are let in: "", paused, breaker, slow
	Entered   int64  // tickets of the line
	Passed    int64  // tickets that the frontiers have moved over
	Laps      float64
	Admitted  int64   // claims that let somebody in
	Inside    int64   // by the session table
	AtDoor    int64   // claims that were told "one moment" and come again
	Target    int64   // most people inside
	Predicted float64 // inside, when those who were let in have come
	PerSecond float64 // tickets a second that the frontiers move over
	NoShow    float64 // share of the called who do not come, from 0 to 1
	Throttle  float64 // 1: the expensive path is well
}

// Cohort is the tickets of one step of the frontier, and how many of them came.
type Cohort struct {
	At       time.Time
	Tickets  float64
	Came     float64
	Complete bool // nearly all who will come have come
}

// Message is what operators tell the fans: why, in words for each language, and when more is known.
type Message struct {
	Reason     string            // for programs: "payments", "venue", …; at most 40 bytes
	Text       map[string]string // by language tag, at most 500 bytes each
	NextUpdate time.Time
}

// Overview is what operators see of a room.
type Overview struct {
	Key
	Moment
	OnSaleAt     time.Time
	Tiers        []string // names, in the order they are served
	Lottery      []int64  // tickets of the lottery by tier
	Late         int64    // tickets of those who came after the on-sale instant
	Drawn        bool
	Verifiable   bool             // the draw contains a beacon round
	Called       int64            // passed, not yet come, their window is open
	Missed       int64            // passed and never came, their window is over: they gave up, or come by the second-chance lane
	SecondChance int64            // of the admitted, those who came through that lane
	Left         map[string]int64 // of the admitted, by reason: bought, left, idle, expired, replaced
	ClaimSeconds int
	Stay         time.Duration // mean stay inside, as measured
	PausedSince  time.Time     // zero: not paused
	Held         bool          // paused by an operator, also before the line moves
	Message      *Message
	Cohorts      []Cohort // newest last
	Codes        int64    // presale codes made so far
}

// Verb is what an operator may do to a room.
type Verb string

// The verbs.
const (
	Pause     Verb = "pause"   // nobody is let in and no claim clock runs; needs a Message
	Resume    Verb = "resume"  // also takes the message of the pause away
	Say       Verb = "message" // a message beside the line; nil takes it away
	SetTarget Verb = "target"
	Reset     Verb = "reset" // a new epoch: everybody's place is void
	MakeCodes Verb = "codes"
)

// Order is a change that an operator asks for. Who and Why are required.
type Order struct {
	Event   id.ID
	Verb    Verb
	Who     string // at most 100 bytes
	Why     string // at most 500 bytes
	Message *Message
	From    int64 // SetTarget: the target, Reset: the epoch that the operator saw; another one now is refused
	To      int64 // SetTarget: the new target, from 1 up
	Tier    int   // MakeCodes
	Count   int   // MakeCodes: from 1 to 10,000
}

// Action is one line of the audit: an order that was carried out.
type Action struct {
	Seq    int64 // orders the actions of an event, from 1
	At     time.Time
	Epoch  int64
	Verb   Verb
	Who    string
	Why    string
	Before string // JSON of what it changed; "" when there was nothing
	After  string
}

// Effect is what another target would do, as far as it can be told.
type Effect struct {
	Target    int64
	From      int64         // the target now
	Inside    int64         // now
	PerSecond float64       // people let in a second when it has settled
	Now       float64       // people let in a second with the target of now
	Settles   time.Duration // until then
	Rest      time.Duration // until everybody who waits has been served; 0: nobody waits
	RestNow   time.Duration // the same with the target of now
}
