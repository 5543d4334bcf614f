package checkout

import (
	"context"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/ticket"
)

// Details is an order with everything that belongs to it.
type Details struct {
	Order   order.Order
	Attempt *payment.Attempt // the newest
	Hold    inventory.Hold
	Tickets []ticket.Ticket
	Refunds []payment.Refund
	Delayed bool // no payment provider answers: the order waits, its seats are safe, it goes on by itself
}

// Find reads an order for its owner. Anybody else's does not exist.
func (s *Service) Find(ctx context.Context, account, orderID id.ID) (Details, error) {
	o, err := s.owned(ctx, account, orderID)
	if err != nil {
		return Details{}, err
	}
	d := Details{Order: o}
	if d.Hold, err = s.inventory.Hold(ctx, o.Hold); err != nil {
		return Details{}, err
	}
	if d.Attempt, err = s.newest(ctx, orderID); err != nil {
		return Details{}, err
	}
	d.Delayed = o.Status.Open() && s.Delayed(ctx, o.Event)
	if o.Status.Open() { // nothing to show yet, and this is what waiting pages ask for all the time
		return d, nil
	}
	if d.Tickets, err = s.store.TicketsOf(ctx, orderID); err != nil {
		return Details{}, err
	}
	d.Refunds, err = s.store.RefundsOf(ctx, orderID)
	return d, err
}

// List reads an account's orders, newest first.
func (s *Service) List(ctx context.Context, account id.ID, after Position, limit int) ([]order.Order, error) {
	return s.store.OrdersOf(ctx, account, after, limit)
}

// OrderOfHold reads the order made of an account's hold.
func (s *Service) OrderOfHold(ctx context.Context, account, hold id.ID) (order.Order, error) {
	o, err := s.store.OrderOfHold(ctx, hold)
	if err == nil && o.Account != account {
		err = fault.New(fault.NotFound, "no such order")
	}
	if err != nil {
		return order.Order{}, err
	}
	return o, nil
}

// Ticket reads a ticket for its owner.
func (s *Service) Ticket(ctx context.Context, account, ticketID id.ID) (ticket.Ticket, error) {
	t, err := s.store.Ticket(ctx, ticketID)
	if err == nil && t.Account != account {
		err = fault.New(fault.NotFound, "no such ticket")
	}
	if err != nil {
		return ticket.Ticket{}, err
	}
	return t, nil
}

func (s *Service) owned(ctx context.Context, account, orderID id.ID) (order.Order, error) {
	o, err := s.store.Order(ctx, orderID)
	if err == nil && o.Account != account {
		err = fault.New(fault.NotFound, "no such order")
	}
	if err != nil {
		return order.Order{}, err
	}
	return o, nil
}

func (s *Service) newest(ctx context.Context, orderID id.ID) (*payment.Attempt, error) {
	attempts, err := s.store.AttemptsOf(ctx, orderID)
	if err != nil || len(attempts) == 0 {
		return nil, err
	}
	return &attempts[len(attempts)-1], nil
}
