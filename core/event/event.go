// Package event is what is put on sale: a show at a venue, with a chart, prices and selling rules.
package event

import (
	"time"

	"plateia/core/id"
)

// State is where an event is in its life. Only OnSale sells.
type State string

const (
	Scheduled State = "scheduled" // listed, not yet on sale
	OnSale    State = "on_sale"
	Paused    State = "paused" // holds and payments go on, new holds do not
	Closed    State = "closed"
	Cancelled State = "cancelled"
)

// Event is one show. Instants are UTC; TimeZone is the IANA name of the place.
type Event struct {
	ID           id.ID
	Title        string
	Venue        Venue
	Genre        string
	TimeZone     string
	Currency     string // ISO 4217; all of the event's amounts are in it
	HomeRegion   string
	StartsAt     time.Time
	OnSaleAt     time.Time
	State        State
	ChartID      id.ID
	ChartVersion int
	Capacity     int     // seats of the chart
	Free         int     // seats to be had at the last count; see Availability
	Prices       []int64 // minor units, by the chart's category index
	Rules        Rules
	Epoch        int64 // grows when viewers and queue tickets must start over
	Version      int64
}

// Venue is where it happens.
type Venue struct {
	Name      string
	City      string
	Country   string // ISO 3166-1 alpha-2
	Latitude  float64
	Longitude float64
}

// OrphanMode says how strictly single free seats are avoided.
type OrphanMode string

const (
	OrphanOff     OrphanMode = "off"
	OrphanLenient OrphanMode = "lenient"
	OrphanStrict  OrphanMode = "strict"
)

// Rules are an event's selling rules. Stored as JSON; durations in seconds. What a seat costs
// (fees, tax) does not change while the event is on sale: holds and orders work it out again.
type Rules struct {
	MaxPerAccount     int        `json:"maxPerAccount"`    // seats per account, held and sold
	HoldSeconds       int        `json:"holdSeconds"`      // sliding life of a hold
	HoldMaxSeconds    int        `json:"holdMaxSeconds"`   // absolute life of a hold
	PaySeconds        int        `json:"paySeconds"`       // window given to the payment provider
	PayMarginSeconds  int        `json:"payMarginSeconds"` // kept after the provider's deadline
	PressesPerMinute  int        `json:"pressesPerMinute"` // hold requests per account
	Inside            int        `json:"inside"`           // people admitted at the same time
	OrphanMode        OrphanMode `json:"orphanMode"`
	AccessibleRelease *time.Time `json:"accessibleRelease,omitempty"` // from then on anyone may buy accessible seats; nil: never
	Channels          []Channel  `json:"channels,omitempty"`          // besides the public, which is channel 0
	Fees              []Fee      `json:"fees,omitempty"`
	TaxPercent        int        `json:"taxPercent,omitempty"` // included in prices and fees, in hundredths of a percent
	Refund            *Refunds   `json:"refund,omitempty"`     // nil: see RefundPolicy
	Providers         []string   `json:"providers,omitempty"`  // of payments, in the order in which they are tried; empty: as configured
	Queue             *Queue     `json:"queue,omitempty"`      // nil: see QueuePolicy
}

// Channel is somebody else than the public to whom seats are given for a while: a fan club, a
// partner. A seat names its channel by ID; from ReleaseAt on it is anyone's.
type Channel struct {
	ID        int        `json:"id"` // 1 to MaxChannels, never used again for another
	Name      string     `json:"name"`
	ReleaseAt *time.Time `json:"releaseAt,omitempty"` // nil: never
}

// MaxChannels is how many channels an event may have.
const MaxChannels = 100

// Released reports whether the channel's seats are anyone's at the given instant.
func (c Channel) Released(now time.Time) bool { return c.ReleaseAt != nil && !now.Before(*c.ReleaseAt) }

// Channel finds a channel by its ID; false for the public and for unknown ones.
func (r *Rules) Channel(id int) (Channel, bool) {
	for _, c := range r.Channels {
		if c.ID == id {
			return c, true
		}
	}
	return Channel{}, false
}

// AccessibleKept reports whether accessible seats and their companions are still kept
// for those who ask. The instant of the release is the first at which they are not.
func (r *Rules) AccessibleKept(now time.Time) bool {
	return r.AccessibleRelease == nil || now.Before(*r.AccessibleRelease)
}

// DefaultRules are what an event gets when nothing else is said.
func DefaultRules() Rules {
	return Rules{
		MaxPerAccount: 6, HoldSeconds: 7 * 60, HoldMaxSeconds: 30 * 60,
		PaySeconds: 5 * 60, PayMarginSeconds: 30, PressesPerMinute: 10,
		Inside: 10_000, OrphanMode: OrphanOff,
	}
}

// HoldTTL is the sliding life of a hold.
func (r Rules) HoldTTL() time.Duration { return time.Duration(r.HoldSeconds) * time.Second }

// HoldMaxTTL is the absolute life of a hold.
func (r Rules) HoldMaxTTL() time.Duration { return time.Duration(r.HoldMaxSeconds) * time.Second }

// PayWindow is how long the provider is given to finish a payment.
func (r Rules) PayWindow() time.Duration { return time.Duration(r.PaySeconds) * time.Second }

// PayMargin is how long the seats are kept after the provider's deadline.
func (r Rules) PayMargin() time.Duration { return time.Duration(r.PayMarginSeconds) * time.Second }
