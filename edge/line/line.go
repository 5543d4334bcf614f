// Package line is the waiting room's part of the HTTP API without a transport: what is read from requests and what answers
// look like, so that the API and the edge, which answers for it, cannot differ.
package line

import (
	"bytes"
	"math"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/edge/decode"
)

// Place is a place in a line as JSON.
type Place struct {
	Status        account.QueueStatus `json:"status"`
	EventID       id.ID               `json:"eventId"`
	Class         account.Class       `json:"class"`
	Tier          int                 `json:"tier"`
	Ahead         *int64              `json:"ahead"` // null before the draw
	StandardError float64             `json:"standardError"`
	ETASeconds    *[2]int             `json:"etaSeconds"` // low and high; null while nothing is known
	ClaimBy       *time.Time          `json:"claimBy"`
	Reason        string              `json:"reason,omitempty"`
	Phase         string              `json:"phase"`
	Version       uint64              `json:"version"` // of the frontier document
}

// PlaceOf is a place in the shape in which it is told.
func PlaceOf(p account.Place) Place {
	out := Place{
		Status: p.Status, EventID: p.Event, Class: p.Class, Tier: p.Tier, StandardError: p.StandardError, Reason: p.Reason, Phase: p.Phase, Version: p.Version,
	}
	if p.Known {
		out.Ahead = &p.Ahead
	}
	if p.Wait != nil {
		out.ETASeconds = &[2]int{wholeSeconds(p.Wait.Low), wholeSeconds(p.Wait.High)}
	}
	if !p.ClaimBy.IsZero() {
		by := p.ClaimBy.UTC()
		out.ClaimBy = &by
	}
	return out
}

func wholeSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// Entered answers an entry: the ticket, and what it means now.
type Entered struct {
	QueueToken string    `json:"queueToken"`
	EnteredAt  time.Time `json:"enteredAt"`
	Place
}

// EnteredOf is an entry in the shape in which it is told.
func EnteredOf(token string, ticket account.QueueTicket, place account.Place) Entered {
	return Entered{token, ticket.EnteredAt.UTC(), PlaceOf(place)}
}

// maxAsked is the length of a challenge's answer or of a code that is looked at, in bytes.
const maxAsked = 2048

// ReadEntering reads the body of an entry. There may be none.
func ReadEntering(contentType string, body []byte) (queue.Asked, error) {
	var in struct {
		Challenge string `json:"challenge"`
		Code      string `json:"code"`
	}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := readJSON(contentType, body, &in); err != nil {
			return queue.Asked{}, err
		}
	}
	for name, text := range map[string]string{"challenge": in.Challenge, "code": in.Code} {
		if len(text) > maxAsked {
			return queue.Asked{}, fault.New(fault.Invalid, "%s is too long", name).With("field", name)
		}
	}
	return queue.Asked{Challenge: in.Challenge, Code: in.Code}, nil
}

// ReadClaim reads the queue ticket, unverified, of a claim.
func ReadClaim(contentType string, body []byte) (queueToken string, err error) {
	var in struct {
		QueueToken string `json:"queueToken"`
	}
	err = readJSON(contentType, body, &in)
	return in.QueueToken, err
}

func readJSON(contentType string, body []byte, to any) error {
	if !decode.IsJSON(contentType) {
		return fault.New(fault.MediaType, "the body must be application/json")
	}
	return decode.Object(body, to)
}

// Admitted answers a claim: the right to hold seats.
type Admitted struct {
	AccessToken string    `json:"accessToken"`
	ExpiresAt   time.Time `json:"expiresAt"`
	EventID     id.ID     `json:"eventId"`
}

// AdmittedOf is an access token in the shape in which it is told.
func AdmittedOf(token string, access account.Access) Admitted {
	return Admitted{token, access.ExpiresAt.UTC(), access.Event}
}

// WayBack adds to a refusal where its reader goes on: the line of the event, or the events where none is known. nil stays nil.
func WayBack(err error, event id.ID) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	if _, known := f.Details["waitingRoom"]; known {
		return f
	}
	page := "/"
	if !event.IsZero() {
		page = "/line/" + event.String()
	}
	return f.With("waitingRoom", page)
}

// ErrNoProof refuses a request that must show a proof of the device's key and shows none.
func ErrNoProof() error {
	return fault.New(fault.Unauthenticated, "this request needs a proof of the device's key in the DPoP header")
}
