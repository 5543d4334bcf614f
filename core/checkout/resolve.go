package checkout

import (
	"context"
	"strings"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
)

// Actions of a person on an order in REVIEW.
const (
	ActionConfirm = "confirm"
	ActionRefund  = "refund"
)

// maxNote is the longest reason that an audit keeps, in bytes.
const maxNote = 2000

// Resolve ends an order's REVIEW as a person has decided: confirm gives it its tickets if a payment covers
// it and the seats can be had, refund sends all of its money back. Actor and note are written to the audit with it.
func (s *Service) Resolve(ctx context.Context, orderID id.ID, action, actor, note string) (order.Order, error) {
	switch {
	case action != ActionConfirm && action != ActionRefund:
		return order.Order{}, fault.New(fault.Invalid, "action is confirm or refund").With("field", "action")
	case strings.TrimSpace(actor) == "" || len(actor) > maxNote:
		return order.Order{}, fault.New(fault.Invalid, "say who decides").With("field", "actor")
	case strings.TrimSpace(note) == "" || len(note) > maxNote:
		return order.Order{}, fault.New(fault.Invalid, "say why, in at most %d bytes", maxNote).With("field", "note")
	}
	o, err := s.store.Order(ctx, orderID)
	if err != nil {
		return order.Order{}, err
	}
	out, err := s.inventory.Do(ctx, o.Event, inventory.Resolve{
		Order: orderID, Confirm: action == ActionConfirm, By: inventory.By{Actor: actor, Reason: note},
	})
	if err != nil {
		return order.Order{}, err
	}
	s.log.Warn("an order in review was decided", "order", orderID, "action", action, "actor", actor, "status", string(out.Order.Status))
	s.poke()
	return out.Order, nil
}
