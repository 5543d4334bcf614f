package checkout

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/payment"
)

// deliveryTries is how often a delivery is processed before a person must look;
// with the back-off of runDelivery that is about an hour.
const deliveryTries = 15

// Receive verifies a webhook over its raw body and stores what it says. When it
// returns nil the provider may be told 2xx: the rest happens from the store.
func (s *Service) Receive(ctx context.Context, provider string, header http.Header, rawBody []byte) error {
	p, ok := s.providers[provider]
	if !ok {
		return fault.New(fault.NotFound, "no such payment provider")
	}
	events, err := p.VerifyWebhook(header, rawBody)
	if err != nil {
		return err
	}
	for _, e := range events {
		if !storable(e.ID) || !storable(e.Reference) {
			return fault.New(fault.Invalid, "the delivery names an event or a payment in a form that no provider uses")
		}
		fresh, err := s.store.SaveDelivery(ctx, Delivery{ID: id.New(), Provider: provider, Event: e, Body: rawBody, ReceivedAt: s.now()})
		if err != nil {
			return err
		}
		if fresh {
			s.poke()
		}
	}
	return nil
}

// maxName is the longest name of an event or a payment that is taken from a provider, in bytes.
const maxName = 255

// storable accepts names that every database keeps and finds again: short, and without control characters.
func storable(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

// runDelivery processes a stored delivery once and says when to do it again if it failed.
func (s *Service) runDelivery(ctx context.Context, d Delivery) {
	state, note, err := s.process(ctx, d)
	stopping := ctx.Err() != nil
	ctx, cancel := afterwards(ctx)
	defer cancel()
	if err != nil && d.Tries >= deliveryTries && !stopping {
		state, note, err = DeliveryFlagged, "gave up: "+err.Error(), nil
	}
	switch {
	case err != nil && stopping:
		err = s.store.DeliveryAt(ctx, d.ID, s.now(), "interrupted")
	case err != nil:
		s.log.Debug("delivery not processed yet", "delivery", d.ID, "tries", d.Tries, "error", err)
		err = s.store.DeliveryAt(ctx, d.ID, s.now().Add(backoff(500*time.Millisecond, d.Tries, 5*time.Minute)), err.Error())
	default:
		if state == DeliveryFlagged {
			s.log.Error("a webhook delivery is flagged", "alarm", true, "delivery", d.ID, "provider", d.Provider, "note", note)
		}
		err = s.store.FinishDelivery(ctx, d.ID, state, note)
	}
	if err != nil {
		s.log.Warn("delivery not recorded", "delivery", d.ID, "error", err)
	}
}

// process settles the attempt that a delivery speaks of. The delivery is done
// only when that is: an error keeps it in the store.
func (s *Service) process(ctx context.Context, d Delivery) (DeliveryState, string, error) {
	a, err := s.store.AttemptByReference(ctx, d.Provider, d.Event.Reference)
	if fault.CodeOf(err) == fault.NotFound {
		return s.processEarly(ctx, d)
	}
	if err != nil {
		return "", "", err
	}
	if a.Status == payment.Captured {
		return DeliveryProcessed, "", s.recheckRefunds(ctx, a)
	}
	return DeliveryProcessed, "", s.settle(ctx, a.ID)
}

// processEarly is for a reference that we do not know: the provider may be
// telling before our own create call returned. Asking with the attempt's key
// brings the reference; if it is still unknown then, it is not ours.
func (s *Service) processEarly(ctx context.Context, d Delivery) (DeliveryState, string, error) {
	attempts, err := s.store.AttemptsOf(ctx, d.Event.Order)
	if err != nil {
		return "", "", err
	}
	if len(attempts) == 0 {
		return DeliveryFlagged, "unknown order", nil
	}
	for _, a := range attempts {
		if a.Provider == d.Provider && a.Reference == "" {
			if err := s.settle(ctx, a.ID); err != nil {
				return "", "", err
			}
		}
	}
	_, err = s.store.AttemptByReference(ctx, d.Provider, d.Event.Reference)
	if fault.CodeOf(err) == fault.NotFound {
		return DeliveryFlagged, "no attempt of the order has this reference", nil
	}
	return DeliveryProcessed, "", err
}

// backoff doubles from first with every try, up to most.
func backoff(first time.Duration, tries int, most time.Duration) time.Duration {
	if tries > 20 {
		return most
	}
	return min(first<<max(tries-1, 0), most)
}
