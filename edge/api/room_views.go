package api

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/edge/decode"
)

// momentJSON is a room in numbers at an instant.
type momentJSON struct {
	At        time.Time `json:"at"`
	Version   int64     `json:"version"`
	Phase     string    `json:"phase"`
	Reason    *string   `json:"reason"`
	Entered   int64     `json:"entered"`
	Waiting   int64     `json:"waiting"`
	Passed    int64     `json:"passed"`
	Laps      float64   `json:"laps"`
	Admitted  int64     `json:"admitted"`
	Inside    int64     `json:"inside"`
	AtDoor    int64     `json:"atDoor"`
	Target    int64     `json:"target"`
	Predicted float64   `json:"predicted"`
	PerSecond float64   `json:"perSecond"`
	NoShow    float64   `json:"noShow"`
	Throttle  float64   `json:"throttle"`
}

func momentOf(m queue.Moment) momentJSON {
	return momentJSON{
		At: m.At.UTC(), Version: m.Version, Phase: m.Phase, Reason: words(m.Reason), Entered: m.Entered, Waiting: max(m.Entered-m.Passed, 0),
		Passed: m.Passed, Laps: m.Laps, Admitted: m.Admitted, Inside: m.Inside, AtDoor: m.AtDoor, Target: m.Target,
		Predicted: m.Predicted, PerSecond: m.PerSecond, NoShow: m.NoShow, Throttle: m.Throttle,
	}
}

// tierJSON is a tier of the lottery.
type tierJSON struct {
	Name    string `json:"name"`
	Entered int64  `json:"entered"`
}

// cohortJSON is the tickets of one step of the frontier.
type cohortJSON struct {
	At       time.Time `json:"at"`
	Tickets  float64   `json:"tickets"`
	Came     float64   `json:"came"`
	Complete bool      `json:"complete"`
}

// gaveUpJSON is how many did not buy: in the line, when their turn came, and inside.
type gaveUpJSON struct {
	Missed int64 `json:"missed"`
	Inside int64 `json:"inside"`
}

type messageJSON struct {
	Reason     string            `json:"reason"`
	Text       map[string]string `json:"text"`
	NextUpdate *time.Time        `json:"nextUpdate"`
}

// message checks what fans are to be told: why, in words for at least one language, and when more is known.
func (m messageJSON) message(now time.Time) (*queue.Message, error) {
	if err := oneLine(m.Reason, "reason", maxReason, "reason is a word for programs, such as payments or venue"); err != nil {
		return nil, err
	}
	if len(m.Text) == 0 || len(m.Text) > maxLanguages {
		return nil, fault.New(fault.Invalid, "text is an object of 1 to %d languages", maxLanguages).With("field", "text")
	}
	for tag, text := range m.Text {
		if len(tag) == 0 || len(tag) > maxTagSize || strings.ContainsFunc(tag, func(r rune) bool {
			return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		}) {
			return nil, fault.New(fault.Invalid, "%q is not a language tag", decode.Clip(tag)).With("field", "text")
		}
		if err := oneLine(text, "text", maxText, "a language without words"); err != nil {
			return nil, err
		}
	}
	if m.NextUpdate == nil || m.NextUpdate.Before(now) || m.NextUpdate.After(now.Add(7*24*time.Hour)) {
		return nil, fault.New(fault.Invalid, "nextUpdate is an instant within seven days: people who wait are told when they hear more").With("field", "nextUpdate")
	}
	return &queue.Message{Reason: m.Reason, Text: m.Text, NextUpdate: m.NextUpdate.UTC()}, nil
}

// roomJSON is a room as operators see it.
type roomJSON struct {
	EventID  id.ID     `json:"eventId"`
	Title    string    `json:"title"`
	Venue    venueJSON `json:"venue"`
	TimeZone string    `json:"timeZone"`
	StartsAt time.Time `json:"startsAt"`
	OnSaleAt time.Time `json:"onSaleAt"`
	Epoch    int64     `json:"epoch"`
	momentJSON
	Present      *int64           `json:"present"` // of those who wait, how many will probably come; null: not known
	Tiers        []tierJSON       `json:"tiers"`
	Late         int64            `json:"late"`
	Drawn        bool             `json:"drawn"`
	Verifiable   bool             `json:"verifiable"`
	Called       int64            `json:"called"`
	SecondChance int64            `json:"secondChance"`
	Left         map[string]int64 `json:"left"`
	GaveUp       gaveUpJSON       `json:"gaveUp"`
	ClaimSeconds int              `json:"claimSeconds"`
	StaySeconds  float64          `json:"staySeconds"`
	PausedSince  *time.Time       `json:"pausedSince"`
	Held         bool             `json:"held"`
	Message      *messageJSON     `json:"message"`
	Cohorts      []cohortJSON     `json:"cohorts"`
	Codes        int64            `json:"codes"`
}

// roomViewOf adds what the catalogue knows of the event.
func (a *API) roomViewOf(c *call, o queue.Overview) (roomJSON, error) {
	e, err := a.Events.Shown(c.ctx, o.Event)
	if err != nil {
		return roomJSON{}, err
	}
	out := roomJSON{
		EventID: o.Event, Title: e.Title, Venue: venueJSON{e.Venue.Name, e.Venue.City, e.Venue.Country}, TimeZone: e.TimeZone,
		StartsAt: e.StartsAt.UTC(), OnSaleAt: cmp.Or(o.OnSaleAt, e.OnSaleAt).UTC(), Epoch: o.Epoch, momentJSON: momentOf(o.Moment),
		Tiers: tiersOf(o), Late: o.Late, Drawn: o.Drawn, Verifiable: o.Verifiable, Called: o.Called, SecondChance: o.SecondChance,
		Left: map[string]int64{}, ClaimSeconds: o.ClaimSeconds, StaySeconds: o.Stay.Seconds(), Cohorts: []cohortJSON{}, Codes: o.Codes, Held: o.Held,
	}
	maps.Copy(out.Left, o.Left)
	out.GaveUp = gaveUpJSON{Missed: o.Missed, Inside: o.Left["left"] + o.Left["idle"] + o.Left["expired"]}
	if o.Passed > 0 {
		present := int64(float64(out.Waiting) * (1 - o.NoShow))
		out.Present = &present
	}
	if !o.PausedSince.IsZero() {
		since := o.PausedSince.UTC()
		out.PausedSince = &since
	}
	if m := o.Message; m != nil {
		next := m.NextUpdate.UTC()
		out.Message = &messageJSON{Reason: m.Reason, Text: m.Text, NextUpdate: &next}
	}
	for _, k := range o.Cohorts {
		out.Cohorts = append(out.Cohorts, cohortJSON{k.At.UTC(), k.Tickets, k.Came, k.Complete})
	}
	return out, nil
}

func tiersOf(o queue.Overview) []tierJSON {
	out := []tierJSON{}
	for i, n := range o.Lottery {
		name := ""
		if i < len(o.Tiers) {
			name = o.Tiers[i]
		}
		out = append(out, tierJSON{name, n})
	}
	return out
}

func (a *API) sendRoom(c *call, o queue.Overview) error {
	view, err := a.roomViewOf(c, o)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, view)
}

func (a *API) listRooms(c *call) error {
	out := struct {
		Rooms []roomJSON `json:"rooms"`
	}{Rooms: []roomJSON{}}
	if a.Rooms == nil {
		return c.json(http.StatusOK, out)
	}
	all, err := a.Rooms.Rooms(c.ctx)
	if err != nil {
		return err
	}
	for _, o := range all {
		view, err := a.roomViewOf(c, o)
		if err != nil {
			return err
		}
		out.Rooms = append(out.Rooms, view)
	}
	return c.json(http.StatusOK, out)
}

func (a *API) showRoom(c *call) error {
	event, err := a.roomOf(c)
	if err != nil {
		return err
	}
	o, err := a.Rooms.Overview(c.ctx, event)
	if err != nil {
		return err
	}
	return a.sendRoom(c, o)
}

// roomHistory is what a chart is drawn from: the moments since an instant, oldest first.
func (a *API) roomHistory(c *call) error {
	event, err := a.roomOf(c)
	if err != nil {
		return err
	}
	since := c.now.Add(-time.Hour)
	if text := c.query("since"); text != "" {
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return fault.Wrap(err, fault.Invalid, "since is an instant such as 2026-12-01T12:00:00Z").With("field", "since")
		}
	}
	all, err := a.Rooms.History(c.ctx, event, since, maxMoments)
	if err != nil {
		return err
	}
	out := struct {
		Moments []momentJSON `json:"moments"`
	}{Moments: []momentJSON{}}
	for _, m := range all {
		out.Moments = append(out.Moments, momentOf(m))
	}
	return c.json(http.StatusOK, out)
}

// actionLine is what every line of an audit says.
type actionLine struct {
	At     time.Time       `json:"at"`
	Who    string          `json:"who"`
	Why    string          `json:"why"`
	Before json.RawMessage `json:"before"` // null: there was nothing
	After  json.RawMessage `json:"after"`
}

func actionLineOf(at time.Time, who, why, before, after string) actionLine {
	raw := func(text string) json.RawMessage {
		if text == "" {
			return json.RawMessage("null")
		}
		return json.RawMessage(text)
	}
	return actionLine{At: at.UTC(), Who: who, Why: why, Before: raw(before), After: raw(after)}
}

// actionJSON is a line of a room's audit.
type actionJSON struct {
	actionLine
	Epoch int64      `json:"epoch"`
	Verb  queue.Verb `json:"verb"`
}

func actionOf(x queue.Action) actionJSON {
	return actionJSON{actionLineOf(x.At, x.Who, x.Why, x.Before, x.After), x.Epoch, x.Verb}
}

// actionsBefore is where the page of an audit begins; 0: with the newest.
func (c *call) actionsBefore() (before int64, err error) {
	if text := c.query("cursor"); text != "" {
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before < 1 {
			return 0, fault.New(fault.Invalid, "cursor is not one that we gave out").With("field", "cursor")
		}
	}
	return before, nil
}

func (a *API) roomActions(c *call) error {
	event, err := a.roomOf(c)
	if err != nil {
		return err
	}
	before, err := c.actionsBefore()
	if err != nil {
		return err
	}
	all, err := a.Rooms.Actions(c.ctx, event, before, maxActions+1)
	if err != nil {
		return err
	}
	out := struct {
		Actions    []actionJSON `json:"actions"`
		NextCursor *string      `json:"nextCursor"`
	}{Actions: []actionJSON{}}
	if len(all) > maxActions {
		all = slices.Clone(all[:maxActions])
		next := strconv.FormatInt(all[maxActions-1].Seq, 10)
		out.NextCursor = &next
	}
	for _, x := range all {
		out.Actions = append(out.Actions, actionOf(x))
	}
	return c.json(http.StatusOK, out)
}

// effectJSON is what another target would do.
type effectJSON struct {
	Target         int64   `json:"target"`
	From           int64   `json:"from"`
	Inside         int64   `json:"inside"`
	PerSecond      float64 `json:"perSecond"`
	PerSecondNow   float64 `json:"perSecondNow"`
	SettlesSeconds float64 `json:"settlesSeconds"`
	RestSeconds    float64 `json:"restSeconds"`
	RestSecondsNow float64 `json:"restSecondsNow"`
}

func effectOf(e queue.Effect) effectJSON {
	return effectJSON{
		Target: e.Target, From: e.From, Inside: e.Inside, PerSecond: e.PerSecond, PerSecondNow: e.Now,
		SettlesSeconds: e.Settles.Seconds(), RestSeconds: e.Rest.Seconds(), RestSecondsNow: e.RestNow.Seconds(),
	}
}
