package api

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"plateia/core/checkout"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/ticket"
	"plateia/edge/decode"
)

// Checkout is what the handlers of orders, tickets and webhooks need.
// Whatever belongs to another account is fault.NotFound.
type Checkout interface {
	Place(ctx context.Context, account, hold id.ID, key inventory.Idempotency) (order.Order, error)
	PayAgain(ctx context.Context, account, order id.ID, key inventory.Idempotency) (order.Order, error)
	Cancel(ctx context.Context, account, order id.ID, tickets []id.ID, key inventory.Idempotency) (order.Order, error)
	Find(ctx context.Context, account, order id.ID) (checkout.Details, error)
	OrderOfHold(ctx context.Context, account, hold id.ID) (order.Order, error)
	List(ctx context.Context, account id.ID, after checkout.Position, limit int) ([]order.Order, error)
	Ticket(ctx context.Context, account, ticket id.ID) (ticket.Ticket, error)
	Receive(ctx context.Context, provider string, header http.Header, rawBody []byte) error
}

// cancelTimeout is longer than checkout's patience with a provider that does not
// agree at once; after that the cancellation goes on behind the answer.
const cancelTimeout = 10 * time.Second

func (a *API) orderRoutes() []route {
	return []route{
		{method: http.MethodPost, path: "/v1/orders", needs: bySession, repeat: true, do: a.placeOrder},
		{method: http.MethodGet, path: "/v1/orders", needs: bySession, do: a.listOrders},
		{method: http.MethodGet, path: "/v1/orders/:orderId", needs: bySession, do: a.getOrder},
		{method: http.MethodPost, path: "/v1/orders/:orderId/pay", needs: bySession, repeat: true, do: a.payOrder},
		{method: http.MethodPost, path: "/v1/orders/:orderId/cancel", needs: bySession, repeat: true, timeout: cancelTimeout, do: a.cancelOrder},
	}
}

// orderStarted answers a request that started a payment: it goes on behind.
type orderStarted struct {
	OrderID    id.ID        `json:"orderId"`
	Status     order.Status `json:"status"`
	PaymentURL string       `json:"paymentUrl"`
}

func (c *call) started(o order.Order) error {
	return c.json(http.StatusAccepted, orderStarted{OrderID: o.ID, Status: o.Status, PaymentURL: "/pay/" + o.ID.String()})
}

func (a *API) placeOrder(c *call) error {
	var body struct {
		HoldID id.ID `json:"holdId"`
	}
	if err := c.decode(&body); err != nil {
		return err
	}
	if body.HoldID.IsZero() {
		return fault.New(fault.Invalid, "holdId is missing").With("field", "holdId")
	}
	o, err := a.Checkout.Place(c.ctx, c.session.Account, body.HoldID, c.idem)
	if err != nil {
		return err
	}
	a.Room.Seen(o.Event, c.session.Account)
	return c.started(o)
}

func (a *API) payOrder(c *call) error {
	which, err := c.paramID("orderId")
	if err != nil {
		return err
	}
	o, err := a.Checkout.PayAgain(c.ctx, c.session.Account, which, c.idem)
	if err != nil {
		return err
	}
	return c.started(o)
}

// maxTickets is the longest list of tickets to give back at once.
const maxTickets = 100

// cancelOrder answers 200 with an unpaid order as it became, or 202 when something goes on behind: the provider
// has not agreed to a cancellation yet, or money of tickets that were given back is on its way.
func (a *API) cancelOrder(c *call) error {
	which, err := c.paramID("orderId")
	if err != nil {
		return err
	}
	var body struct {
		TicketIDs *[]id.ID `json:"ticketIds"`
	}
	if len(c.body) > 0 {
		if err := c.decode(&body); err != nil {
			return err
		}
		if err := onlyMember(c.body, "ticketIds"); err != nil {
			return err
		}
	}
	tickets, err := ticketsOf(body.TicketIDs)
	if err != nil {
		return err
	}
	o, err := a.Checkout.Cancel(c.ctx, c.session.Account, which, tickets, c.idem)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if o.Status.Open() || o.Returned > 0 {
		status = http.StatusAccepted
	}
	return a.answerOrder(c, status, which)
}

// onlyMember refuses an object with any other member. Elsewhere what is not known is ignored; here a misspelt name would
// give everything back instead of one ticket.
func onlyMember(object []byte, name string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return decode.Fault(err)
	}
	for member := range members {
		if member != name {
			return fault.New(fault.Invalid, "the only member here is %s", name).With("field", name)
		}
	}
	return nil
}

// ticketsOf is nil when none are named: all. An empty list asks for nothing and is refused.
func ticketsOf(list *[]id.ID) ([]id.ID, error) {
	if list == nil {
		return nil, nil
	}
	if n := len(*list); n == 0 || n > maxTickets {
		return nil, fault.New(fault.Invalid, "name 1 to %d tickets, or leave ticketIds out for all", maxTickets).With("field", "ticketIds")
	}
	for _, t := range *list {
		if t.IsZero() {
			return nil, fault.New(fault.Invalid, "a ticket id is empty").With("field", "ticketIds")
		}
	}
	return *list, nil
}

func (a *API) getOrder(c *call) error {
	which, err := c.paramID("orderId")
	if err != nil {
		return err
	}
	return a.answerOrder(c, http.StatusOK, which)
}

func (a *API) answerOrder(c *call, status int, which id.ID) error {
	d, err := a.Checkout.Find(c.ctx, c.session.Account, which)
	if err != nil {
		return err
	}
	out, err := a.orderOf(c, d.Order)
	if err != nil {
		return err
	}
	e, _, err := a.eventOf(c, d.Order.Event)
	if err != nil {
		return err
	}
	return c.json(status, a.detailsOf(out, d, e, c.now))
}

const (
	ordersPerPage    = 20
	maxOrdersPerPage = 100
)

func (a *API) listOrders(c *call) error {
	after, limit, err := orderPage(c)
	if err != nil {
		return err
	}
	orders, err := a.Checkout.List(c.ctx, c.session.Account, after, limit+1)
	if err != nil {
		return err
	}
	out := struct {
		Orders     []orderJSON `json:"orders"`
		NextCursor *string     `json:"nextCursor"`
	}{Orders: []orderJSON{}}
	if len(orders) > limit {
		orders = orders[:limit]
		next := writeOrderCursor(orders[limit-1])
		out.NextCursor = &next
	}
	for _, o := range orders {
		shape, err := a.orderOf(c, o)
		if err != nil {
			return err
		}
		out.Orders = append(out.Orders, shape.orderJSON)
	}
	return c.json(http.StatusOK, out)
}

func orderPage(c *call) (checkout.Position, int, error) {
	limit := ordersPerPage
	if text := c.query("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxOrdersPerPage {
			return checkout.Position{}, 0, fault.New(fault.Invalid, "limit is a number from 1 to %d", maxOrdersPerPage).With("field", "limit")
		}
		limit = n
	}
	text := c.query("cursor")
	if text == "" {
		return checkout.Position{}, limit, nil
	}
	after, ok := readOrderCursor(text)
	if !ok {
		return after, 0, fault.New(fault.Invalid, "cursor is not one that we gave out").With("field", "cursor")
	}
	return after, limit, nil
}

// An order cursor is the creation in microseconds, which is what databases keep, and the order.
func writeOrderCursor(o order.Order) string { return writePosition(o.CreatedAt, o.ID) }

func writePosition(at time.Time, what id.ID) string {
	raw := binary.BigEndian.AppendUint64(nil, uint64(at.UnixMicro()))
	return base64.RawURLEncoding.EncodeToString(append(raw, what[:]...))
}

func readOrderCursor(text string) (checkout.Position, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != 24 {
		return checkout.Position{}, false
	}
	micros := int64(binary.BigEndian.Uint64(raw))
	if micros < 0 || micros > 1<<53 { // no database keeps such a time
		return checkout.Position{}, false
	}
	return checkout.Position{At: time.UnixMicro(micros).UTC(), Order: id.ID(raw[8:])}, true
}
