package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"plateia/core/checkout"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
)

// Ops is what operators' handlers need: everybody's orders and deliveries.
type Ops interface {
	Deliveries(ctx context.Context, state checkout.DeliveryState, after checkout.Position, limit int) ([]checkout.StoredDelivery, error)
	Replay(ctx context.Context, delivery id.ID, actor string) (checkout.StoredDelivery, error)
	InStatus(ctx context.Context, status order.Status, after checkout.Position, limit int) ([]order.Order, error)
	Resolve(ctx context.Context, order id.ID, action, actor, note string) (order.Order, error)
}

func (a *API) opsRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/v1/ops/deliveries", needs: byOperator, do: a.listDeliveries},
		{method: http.MethodPost, path: "/v1/ops/deliveries/:deliveryId/replay", needs: byOperator, do: a.replayDelivery},
		{method: http.MethodGet, path: "/v1/ops/orders", needs: byOperator, do: a.listOrdersIn},
		{method: http.MethodPost, path: "/v1/ops/orders/:orderId/resolve", needs: byOperator, do: a.resolveOrder},
	}
}

// operator says who acts, for logs and the audit; the key alone says that they may.
const headerOperator = "Plateia-Operator"

// authenticateOperator compares the bearer with the operators' key in constant time. Without a key nobody is one.
func (a *API) authenticateOperator(c *call) error {
	if !a.opts.OperatorKey.Is(c.bearer()) {
		return fault.New(fault.Unauthenticated, "the credential is missing, not valid or has expired")
	}
	c.operator = cmp.Or(c.header(headerOperator), "operator")
	if len(c.operator) > 100 {
		return fault.New(fault.Invalid, "%s has at most 100 bytes", headerOperator)
	}
	return nil
}

type deliveryJSON struct {
	DeliveryID id.ID                  `json:"deliveryId"`
	Provider   string                 `json:"provider"`
	EventID    string                 `json:"eventId"`   // the provider's name for what it told
	Reference  string                 `json:"reference"` // of the payment
	OrderID    *id.ID                 `json:"orderId"`   // as the provider says
	State      checkout.DeliveryState `json:"state"`
	Tries      int                    `json:"tries"`
	NextTryAt  *time.Time             `json:"nextTryAt"` // null: it is not tried any more
	ReceivedAt time.Time              `json:"receivedAt"`
	Note       *string                `json:"note"`
}

func deliveryOf(d checkout.StoredDelivery) deliveryJSON {
	out := deliveryJSON{
		DeliveryID: d.ID, Provider: d.Provider, EventID: d.Event.ID, Reference: d.Event.Reference,
		State: d.State, Tries: d.Tries, ReceivedAt: d.ReceivedAt, Note: words(d.Note),
	}
	if !d.Event.Order.IsZero() {
		out.OrderID = &d.Event.Order
	}
	if d.State == checkout.DeliveryReceived {
		out.NextTryAt = &d.NextTry
	}
	return out
}

func (a *API) listDeliveries(c *call) error {
	state := checkout.DeliveryState(c.query("state"))
	switch state {
	case "", checkout.DeliveryReceived, checkout.DeliveryProcessed, checkout.DeliveryFlagged:
	default:
		return fault.New(fault.Invalid, "state is RECEIVED, PROCESSED or FLAGGED").With("field", "state")
	}
	after, limit, err := orderPage(c)
	if err != nil {
		return err
	}
	all, err := a.Ops.Deliveries(c.ctx, state, after, limit+1)
	if err != nil {
		return err
	}
	out := struct {
		Deliveries []deliveryJSON `json:"deliveries"`
		NextCursor *string        `json:"nextCursor"`
	}{Deliveries: []deliveryJSON{}}
	if len(all) > limit {
		all = all[:limit]
		next := writePosition(all[limit-1].ReceivedAt, all[limit-1].ID)
		out.NextCursor = &next
	}
	for _, d := range all {
		out.Deliveries = append(out.Deliveries, deliveryOf(d))
	}
	return c.json(http.StatusOK, out)
}

// replayDelivery answers 202: it is processed behind.
func (a *API) replayDelivery(c *call) error {
	which, err := c.paramID("deliveryId")
	if err != nil {
		return err
	}
	d, err := a.Ops.Replay(c.ctx, which, c.operator)
	if err != nil {
		return err
	}
	return c.json(http.StatusAccepted, deliveryOf(d))
}

// opsOrderJSON is an order as operators list it: without seats' names, with whose it is.
type opsOrderJSON struct {
	OrderID   id.ID        `json:"orderId"`
	EventID   id.ID        `json:"eventId"`
	AccountID id.ID        `json:"accountId"`
	Status    order.Status `json:"status"`
	Reason    *string      `json:"reason"`
	Total     money.Amount `json:"total"`
	CreatedAt time.Time    `json:"createdAt"`
	UpdatedAt time.Time    `json:"updatedAt"`
}

func opsOrderOf(o order.Order) opsOrderJSON {
	return opsOrderJSON{
		OrderID: o.ID, EventID: o.Event, AccountID: o.Account, Status: o.Status, Reason: words(o.Reason),
		Total: money.Amount{Minor: o.Total, Currency: o.Currency}, CreatedAt: o.CreatedAt.UTC(), UpdatedAt: o.UpdatedAt.UTC(),
	}
}

func (a *API) listOrdersIn(c *call) error {
	status := order.Status(cmp.Or(c.query("status"), string(order.Review)))
	if status != order.Review { // the rest is for reports; it would be a walk over the table
		return fault.New(fault.Invalid, "status is REVIEW").With("field", "status")
	}
	after, limit, err := orderPage(c)
	if err != nil {
		return err
	}
	all, err := a.Ops.InStatus(c.ctx, status, after, limit+1)
	if err != nil {
		return err
	}
	out := struct {
		Orders     []opsOrderJSON `json:"orders"`
		NextCursor *string        `json:"nextCursor"`
	}{Orders: []opsOrderJSON{}}
	if len(all) > limit {
		all = all[:limit]
		next := writeOrderCursor(all[limit-1])
		out.NextCursor = &next
	}
	for _, o := range all {
		out.Orders = append(out.Orders, opsOrderOf(o))
	}
	return c.json(http.StatusOK, out)
}

func (a *API) resolveOrder(c *call) error {
	which, err := c.paramID("orderId")
	if err != nil {
		return err
	}
	var body struct {
		Action string `json:"action"`
		Note   string `json:"note"`
	}
	if err := c.decode(&body); err != nil {
		return err
	}
	o, err := a.Ops.Resolve(c.ctx, which, body.Action, c.operator, body.Note)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, opsOrderOf(o))
}
