package plain

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"time"

	"plateia/core/account"
)

// look shows where somebody stands.
func (v *visit) look() {
	if v.session == "" || v.ticket == "" {
		v.show(http.StatusOK, v.first(""))
		return
	}
	answer := v.ask(http.MethodGet, "/v1/queue", v.ticket, nil)
	var place placeJSON
	switch {
	case answer.status == http.StatusOK && json.Unmarshal(answer.body, &place) == nil && place.EventID == v.event.String():
		v.show(http.StatusOK, v.standing(place))
	case answer.status >= http.StatusInternalServerError || answer.status == http.StatusTooManyRequests:
		v.show(http.StatusOK, page{Step: stepWaiting, Refresh: 15, Wrong: v.words.Busy}) // the place is kept: the next look may see it
	default: // no credential: the way back is to enter again, which finds the account's place
		v.keep(ticketCookie, "")
		v.show(http.StatusOK, v.first(""))
	}
}

// placeJSON is a place as the API tells it.
type placeJSON struct {
	Status        account.QueueStatus `json:"status"`
	EventID       string              `json:"eventId"`
	Class         account.Class       `json:"class"`
	Ahead         *int64              `json:"ahead"`
	StandardError float64             `json:"standardError"`
	ETASeconds    *[2]int             `json:"etaSeconds"`
	ClaimBy       *time.Time          `json:"claimBy"`
	Reason        string              `json:"reason"`
	Phase         string              `json:"phase"`
}

func (v *visit) standing(p placeJSON) page {
	out := page{Step: stepWaiting, Place: p, Refresh: refreshOf(p)}
	switch p.Status {
	case account.QueueAdmitted:
		out.Step = stepTurn
	case account.QueueSecondChance:
		out.Step = stepMissed
	case account.QueueClosed:
		out.Step, out.Refresh = stepClosed, 0
		if p.Reason == "restarted" {
			out.Step = stepRestarted
		}
	}
	return out
}

// Seconds between two looks. A page cannot know better than whole seconds, and many begin together: each look is put off by up to half.
const (
	oftenest = 5
	rarest   = 60
)

func refreshOf(p placeJSON) int {
	base := 20
	if p.ETASeconds != nil {
		base = min(max(p.ETASeconds[0]/10, oftenest), rarest)
	}
	if p.Status == account.QueueAdmitted || p.Phase == "draw" {
		base = oftenest
	}
	return base + rand.IntN(base/2+1) //nolint:gosec // nobody gains by guessing it
}

// frontierJSON is what the page shows of the frontier document.
type frontierJSON struct {
	OnSaleAt time.Time    `json:"onSaleAt"`
	Phase    string       `json:"phase"`
	Message  *messageJSON `json:"message"`
}

type messageJSON struct {
	Reason     string            `json:"reason"`
	Text       map[string]string `json:"text"`
	NextUpdate time.Time         `json:"nextUpdate"`
}

// frontier reads the event's document; it comes from our own origin, so its signature is not looked at.
func (v *visit) frontier() (d frontierJSON) {
	var signed struct {
		Payload string `json:"payload"`
	}
	answer := v.ask(http.MethodGet, "/v1/events/"+v.event.String()+"/frontier", "", nil)
	if answer.status != http.StatusOK || json.Unmarshal(answer.body, &signed) != nil {
		return d
	}
	payload, err := base64.RawURLEncoding.DecodeString(signed.Payload)
	if err == nil {
		_ = json.Unmarshal(payload, &d) // what cannot be read is not shown
	}
	return d
}

type eventJSON struct {
	Title    string    `json:"title"`
	TimeZone string    `json:"timeZone"`
	OnSaleAt time.Time `json:"onSaleAt"`
}

func (v *visit) about() (e eventJSON, found bool) {
	answer := v.ask(http.MethodGet, "/v1/events/"+v.event.String(), "", nil)
	_ = json.Unmarshal(answer.body, &e) // without its title a page still says where one stands
	return e, answer.status != http.StatusNotFound
}
