package api

import (
	"time"

	"plateia/core/checkout"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// orderEventJSON is what a receipt says about the event.
type orderEventJSON struct {
	Title    string    `json:"title"`
	Venue    venueJSON `json:"venue"`
	StartsAt time.Time `json:"startsAt"`
	TimeZone string    `json:"timeZone"`
}

// seatNameJSON is a seat by name: seatId for programs, the rest as printed.
type seatNameJSON struct {
	SeatID  string `json:"seatId"`
	Section string `json:"section"`
	Row     string `json:"row"`
	Seat    string `json:"seat"`
	Area    bool   `json:"area,omitempty"` // a place of an area: only the section matters
}

// lineJSON is a line of a hold or an order. Those of seats name theirs.
type lineJSON struct {
	Kind order.LineKind `json:"kind"`
	*seatNameJSON
	Name     string       `json:"name,omitempty"` // of a fee or discount
	Per      order.Per    `json:"per,omitempty"`  // of a fee
	Rate     int          `json:"rate,omitempty"` // hundredths of a percent
	Included bool         `json:"included"`       // in the other lines: not a part of the total
	Amount   money.Amount `json:"amount"`
}

// sumJSON is what lines come to: Total is what is paid, Tax is in it.
type sumJSON struct {
	Total money.Amount `json:"total"`
	Net   money.Amount `json:"net"`
	Tax   money.Amount `json:"tax"`
	Lines []lineJSON   `json:"lines"`
}

func sumOf(chart *seatmap.Chart, lines []order.Line, currency string) sumJSON {
	amount := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: currency} }
	total, tax := order.Total(lines), order.Tax(lines)
	out := sumJSON{Total: amount(total), Net: amount(total - tax), Tax: amount(tax), Lines: make([]lineJSON, len(lines))}
	for i, l := range lines {
		out.Lines[i] = lineJSON{Kind: l.Kind, Name: l.Name, Per: l.Per, Rate: l.Rate, Included: l.Included, Amount: amount(l.Amount)}
		if l.Kind == order.SeatLine {
			name := nameOf(chart, l.Ordinal)
			out.Lines[i].seatNameJSON = &name
		}
	}
	return out
}

// orderJSON is an order in a list.
type orderJSON struct {
	OrderID  id.ID          `json:"orderId"`
	EventID  id.ID          `json:"eventId"`
	Event    orderEventJSON `json:"event"`
	Status   order.Status   `json:"status"`
	Reason   *string        `json:"reason"` // in plain words
	Currency string         `json:"currency"`
	sumJSON
	CreatedAt time.Time `json:"createdAt"`
}

type paymentJSON struct {
	AttemptID id.ID          `json:"attemptId"`
	Status    payment.Status `json:"status"`
	Provider  string         `json:"provider"`
	ActionURL *string        `json:"actionUrl"` // where the fan pays; null when there is nothing to press
	Reason    *string        `json:"reason"`
	ExpiresAt time.Time      `json:"expiresAt"`
}

type orderHoldJSON struct {
	HoldID        id.ID     `json:"holdId"`
	State         string    `json:"state"`
	ExpiresAt     time.Time `json:"expiresAt"`
	HardExpiresAt time.Time `json:"hardExpiresAt"`
}

type orderTicketJSON struct {
	TicketID id.ID `json:"ticketId"`
	seatNameJSON
	State ticket.State `json:"state"`
	Code  *string      `json:"code"` // what the QR shows; null when the ticket is not valid
}

type refundJSON struct {
	RefundID  id.ID                `json:"refundId"`
	Status    payment.RefundStatus `json:"status"`
	Amount    money.Amount         `json:"amount"`
	Reason    string               `json:"reason"`
	TicketIDs []id.ID              `json:"ticketIds"` // given back for it; none when the money bought nothing
	CreatedAt time.Time            `json:"createdAt"`
	UpdatedAt time.Time            `json:"updatedAt"`
}

// refundableJSON is what the fan may give back now.
type refundableJSON struct {
	Until     *time.Time   `json:"until"` // null: as long as there are tickets
	Amount    money.Amount `json:"amount"`
	KeepsFees bool         `json:"keepsFees"`
	TicketIDs []id.ID      `json:"ticketIds"`
	Tickets   []backJSON   `json:"tickets"` // the same ones, each with its part
}

// backJSON is what giving a ticket back brings: Amount goes back, Kept does not.
type backJSON struct {
	TicketID id.ID        `json:"ticketId"`
	Amount   money.Amount `json:"amount"`
	Kept     money.Amount `json:"kept"`
}

// orderDetailJSON is an order with everything its page needs.
type orderDetailJSON struct {
	orderJSON
	Cancelling bool              `json:"cancelling"` // the fan asked; the provider has not agreed yet
	Payment    *paymentJSON      `json:"payment"`
	Hold       *orderHoldJSON    `json:"hold"` // null once the seats are sold or gone
	Tickets    []orderTicketJSON `json:"tickets"`
	Refunds    []refundJSON      `json:"refunds"`
	Refundable *refundableJSON   `json:"refundable"` // null: nothing can be given back
	Next       []checkout.Step   `json:"next"`       // what the fan can do
	// PaymentDelayed: no payment provider answers just now. The seats are safe until hold.expiresAt, which moves, and the payment
	// goes on by itself.
	PaymentDelayed bool      `json:"paymentDelayed"`
	ServerTime     time.Time `json:"serverTime"` // for countdowns on a phone whose clock is wrong
}

// namedOrder is an order's shape with the chart that names its seats.
type namedOrder struct {
	orderJSON
	chart *seatmap.Chart
}

func (a *API) orderOf(c *call, o order.Order) (namedOrder, error) {
	e, chart, err := a.eventOf(c, o.Event)
	if err != nil {
		return namedOrder{}, err
	}
	out := orderJSON{
		OrderID: o.ID, EventID: o.Event, Event: orderEventOf(e), Status: o.Status, Reason: words(o.Reason), Currency: o.Currency,
		sumJSON: sumOf(chart, o.Lines, o.Currency), CreatedAt: o.CreatedAt.UTC(),
	}
	return namedOrder{out, chart}, nil
}

func orderEventOf(e event.Event) orderEventJSON {
	return orderEventJSON{Title: e.Title, Venue: venueOf(e), StartsAt: e.StartsAt.UTC(), TimeZone: e.TimeZone}
}

func (a *API) detailsOf(o namedOrder, d checkout.Details, e event.Event, now time.Time) orderDetailJSON {
	back := checkout.RefundableOf(d, e, now)
	out := orderDetailJSON{
		orderJSON: o.orderJSON, Cancelling: d.Order.Status.Open() && !d.Order.CancelAskedAt.IsZero(),
		Payment: paymentOf(d, now), Hold: orderHoldOf(d.Hold), ServerTime: now.UTC(),
		Tickets: make([]orderTicketJSON, len(d.Tickets)), Refunds: make([]refundJSON, len(d.Refunds)),
		Refundable: refundableOf(back), Next: checkout.Next(d, back != nil, now),
	}
	if out.PaymentDelayed = d.Delayed; d.Delayed && out.Reason == nil {
		out.Reason = words("payment delayed, your seats are safe")
	}
	for i, t := range d.Tickets {
		out.Tickets[i] = orderTicketJSON{TicketID: t.ID, seatNameJSON: nameOf(o.chart, t.Ordinal), State: t.State, Code: a.codeOf(t)}
	}
	for i, r := range d.Refunds {
		out.Refunds[i] = refundJSON{
			RefundID: r.ID, Status: r.Status, Amount: r.Amount, Reason: r.Reason, TicketIDs: append([]id.ID{}, r.Tickets...),
			CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		}
	}
	return out
}

func refundableOf(r *checkout.Refundable) *refundableJSON {
	if r == nil {
		return nil
	}
	out := &refundableJSON{Amount: r.Amount, KeepsFees: r.KeepsFees, TicketIDs: r.Tickets, Tickets: make([]backJSON, len(r.Parts))}
	amount := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: r.Amount.Currency} }
	for i, p := range r.Parts {
		out.Tickets[i] = backJSON{TicketID: r.Tickets[i], Amount: amount(p.Amount), Kept: amount(p.Kept)}
	}
	if !r.Until.IsZero() {
		out.Until = &r.Until
	}
	return out
}

// paymentOf is the newest attempt. Its action is offered only while pressing it makes sense.
func paymentOf(d checkout.Details, now time.Time) *paymentJSON {
	p := d.Attempt
	if p == nil {
		return nil
	}
	out := &paymentJSON{AttemptID: p.ID, Status: p.Status, Provider: p.Provider, Reason: words(p.Reason), ExpiresAt: p.ExpiresAt.UTC()}
	payable := p.Status == payment.Pending || p.Status == payment.Unknown
	if payable && d.Order.Status == order.PendingPayment && d.Order.CancelAskedAt.IsZero() && now.Before(p.ExpiresAt) {
		out.ActionURL = words(p.ActionURL)
	}
	return out
}

func orderHoldOf(h inventory.Hold) *orderHoldJSON {
	if !h.State.Live() {
		return nil
	}
	return &orderHoldJSON{HoldID: h.ID, State: h.State.String(), ExpiresAt: h.ExpiresAt.UTC(), HardExpiresAt: h.HardExpiresAt.UTC()}
}

// codeOf is a valid ticket's code; a void one has none to show.
func (a *API) codeOf(t ticket.Ticket) *string {
	if t.State != ticket.Valid || a.Signer == nil {
		return nil
	}
	return words(a.Signer.Sign(t))
}

func nameOf(chart *seatmap.Chart, o seatmap.Ordinal) seatNameJSON {
	if !chart.Has(o) {
		return seatNameJSON{}
	}
	seat := chart.Seat(o)
	return seatNameJSON{
		SeatID: chart.Label(o), Section: chart.Sections()[seat.Section].Label, Row: chart.Rows()[seat.Row].Label, Seat: seat.Number,
		Area: chart.Sections()[seat.Section].General,
	}
}

// words is text, or null when there is none.
func words(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
