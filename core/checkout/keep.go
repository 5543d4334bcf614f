package checkout

import (
	"context"
	"errors"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
)

const (
	keepAhead   = 3 * time.Minute // holds that end within it are kept
	keepAtOnce  = 5000            // in one round
	keepWorkers = 64              // the engine makes batches of what comes together
)

// EndingHold is a hold that ends soon.
type EndingHold struct{ Event, Account, Hold id.ID }

// Keep moves the ends of holds that would end soon, to be called again and again
// while payments are delayed: nobody loses seats because we cannot take money. It
// never goes past a hold's absolute end, and reports how many it kept.
func (s *Service) Keep(ctx context.Context) (int, error) {
	holds, err := s.store.EndingHolds(ctx, keepAhead, keepAtOnce)
	if err != nil {
		return 0, err
	}
	var (
		mu     sync.Mutex
		kept   int
		faults []error
		all    sync.WaitGroup
		slots  = make(chan struct{}, keepWorkers)
	)
	for _, h := range holds {
		if !s.Delayed(ctx, h.Event) {
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			moved, err := s.keep(ctx, h)
			mu.Lock()
			defer mu.Unlock()
			if moved {
				kept++
			}
			if err != nil && len(faults) < 3 {
				faults = append(faults, err)
			}
		})
	}
	all.Wait()
	return kept, errors.Join(faults...)
}

func (s *Service) keep(ctx context.Context, h EndingHold) (bool, error) {
	out, err := s.inventory.Do(ctx, h.Event, inventory.Extend{Account: h.Account, Hold: h.Hold, Outage: true})
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	return err == nil && !out.Replayed, err
}
