package wire

import (
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// Subprotocol is what a viewer and a gateway agree on in the WebSocket handshake.
const Subprotocol = "plateia.v1"

// The first byte of each frame: protocol version 1 in the high digit.
const (
	version      = 0x10
	versionMask  = 0xf0
	kindHello    = version | 0x1
	kindView     = version | 0x2
	kindSnapshot = version | 0x8
	kindDelta    = version | 0x9
	kindSummary  = version | 0xa
	kindNotice   = version | 0xb
	kindBye      = version | 0xc
	kindDeflated = version | 0xd
)

// Bounds of what viewers may send and what they must expect.
const (
	MaxToken        = 4096    // bytes of a token in a hello
	MaxViewSections = 512     // sections in one view
	MaxSections     = 1 << 14 // sections of a chart
	MaxNotice       = 4096    // bytes of a notice's JSON
	MaxText         = 120     // bytes of a bye's text; also fits a WebSocket close reason
	// MaxClientFrame is the longest message a viewer has reason to send.
	MaxClientFrame = 1 + 16 + 2 + MaxToken + 1 + 24 + 1 + 2 + 3*MaxViewSections
)

// Frame is one of Hello, View, Snapshot, Deflated, Delta, Summary, Notice and Bye.
type Frame interface{ frame() }

// Epoch changes when positions of before mean nothing any more.
type Epoch struct {
	Event  int64  // the event's epoch
	Stream uint64 // the incarnation of the stream, below 2^53
}

// Mark is a 16-bit digest of the epoch, cheap enough for every delta: FNV-1a over
// the 16 bytes of both numbers, little-endian, folded by exclusive or.
func (e Epoch) Mark() uint16 {
	h := uint32(2166136261)
	for _, v := range [2]uint64{uint64(e.Event), e.Stream} {
		for range 8 {
			h = (h ^ uint32(v&0xff)) * 16777619
			v >>= 8
		}
	}
	return uint16(h>>16) ^ uint16(h)
}

// Position is how far a viewer's map has come.
type Position struct {
	Epoch
	Offset uint64 // a sequence number of the stream
}

// Mode of a view.
type Mode uint8

const (
	Overview Mode = 0 // free seats by section, no seats
	Whole    Mode = 1 // every seat
	Sections Mode = 2 // the seats of some sections, and summaries of all
)

// View is what a viewer looks at.
type View struct {
	Mode     Mode
	Sections []int // ascending section indexes, only in mode Sections
}

// Hello opens a connection. Resume is nil for a viewer that shows nothing yet.
type Hello struct {
	Event    id.ID
	Token    string
	Resume   *Position
	Inflates bool // snapshots may come deflated
	View     View
}

// Range is a half-open run of ordinals.
type Range struct{ From, To seatmap.Ordinal }

// Snapshot is the status of all seats of its ranges. The ranges ascend and do not touch or overlap
// unless the chart's sections do; Statuses has one entry per seat of the ranges.
type Snapshot struct {
	Position
	Seats    int // of the chart
	Ranges   []Range
	Statuses []inventory.Status
}

// SeatStatus is one change as viewers see it.
type SeatStatus struct {
	Ordinal seatmap.Ordinal
	Status  inventory.Status
}

// Delta is what changed in a view in the range (From, To].
type Delta struct {
	Mark     uint16    // of the epoch
	From, To uint64    // stream sequence numbers
	At       time.Time // commit of the oldest change, whole ms; zero without changes
	Changes  []SeatStatus
}

// Summary is the number of free seats of each section.
type Summary struct {
	Position
	At   time.Time // commit of the oldest change since the last summary; zero without
	Free []int     // by section index
}

// NoticeKind says what a notice's JSON is about.
type NoticeKind uint8

const (
	NoticeEvent NoticeKind = 1 // {"state": …}: paused, closed, …
	NoticePrice NoticeKind = 2 // {"prices": […]}: new prices for new holds
	NoticeHold  NoticeKind = 3 // {"holdId", "state", "expiresAt", "version"}: to its owner only
	NoticeOrder NoticeKind = 4 // {"orderId", "status", "version"}: to its owner only
)

// Notice is something a viewer is told in words. Body is JSON.
type Notice struct {
	Kind NoticeKind
	Body []byte
}

// ByeCode says why a gateway ends a connection. The WebSocket close code is 4000 + code.
type ByeCode uint16

const (
	ByeResync       ByeCode = 1  // too slow: reconnect without a position
	ByeDrain        ByeCode = 2  // this gateway stops: reconnect, spread
	ByeToken        ByeCode = 3  // token malformed, foreign or expired: reconnect with a new one or none
	ByeUnknownEvent ByeCode = 4  // final
	ByeVersion      ByeCode = 5  // protocol version not spoken here: reload the page
	ByeProtocol     ByeCode = 6  // malformed, text or oversized message: a bug; reconnect late
	ByeHelloLate    ByeCode = 7  // no hello in time
	ByeFlood        ByeCode = 8  // too many messages: reconnect late
	ByeTooMany      ByeCode = 9  // too many connections of this account or network: reconnect late
	ByeNoSection    ByeCode = 10 // a section that the chart does not have
	ByeUnavailable  ByeCode = 11 // the gateway cannot load the event just now: reconnect
	ByeNotAllowed   ByeCode = 12 // this event shows its map only to admitted fans
)

// CloseCode is the WebSocket close code.
func (c ByeCode) CloseCode() int { return 4000 + int(c) }

// Final reports whether trying again cannot help.
func (c ByeCode) Final() bool {
	return c == ByeUnknownEvent || c == ByeVersion || c == ByeNotAllowed || c == ByeNoSection
}

// Bye ends a connection. Reconnect after After plus a random share of Spread.
type Bye struct {
	Code   ByeCode
	After  time.Duration // whole ms
	Spread time.Duration // whole ms
	Text   string
}

func (Hello) frame()    {}
func (View) frame()     {}
func (Snapshot) frame() {}
func (Delta) frame()    {}
func (Summary) frame()  {}
func (Notice) frame()   {}
func (Bye) frame()      {}
