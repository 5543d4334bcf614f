package checkout

import (
	"context"

	"plateia/core/id"
	"plateia/core/order"
)

// What operators see and do. Every action is also safe to repeat.

// Deliveries lists webhook deliveries in a state ("": all), newest first.
func (s *Service) Deliveries(ctx context.Context, state DeliveryState, after Position, limit int) ([]StoredDelivery, error) {
	return s.store.Deliveries(ctx, state, after, limit)
}

// Replay has a stored delivery processed again, whatever became of it before: the provider is asked once more, and what is
// done already is not done twice. NotFound for one that was never stored.
func (s *Service) Replay(ctx context.Context, delivery id.ID, actor string) (StoredDelivery, error) {
	d, err := s.store.ReplayDelivery(ctx, delivery, s.now())
	if err != nil {
		return StoredDelivery{}, err
	}
	s.log.Info("a delivery is processed again", "delivery", delivery, "provider", d.Provider, "actor", actor)
	s.poke()
	return d, nil
}

// InStatus lists orders of all accounts in one status, newest first.
func (s *Service) InStatus(ctx context.Context, status order.Status, after Position, limit int) ([]order.Order, error) {
	return s.store.OrdersIn(ctx, status, after, limit)
}
