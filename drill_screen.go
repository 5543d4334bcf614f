package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"plateia/core/id"
	"plateia/realtime/client"
	"plateia/realtime/wire"
)

// drillScreen is a live map of a drill: it reconnects for ever, as a page does, and can be compared.
type drillScreen struct {
	base string
	opts client.Options
	told func(shown bool)

	mu  sync.Mutex
	now client.Map
}

func newDrillScreen(base string, event id.ID, token string, told func(bool)) *drillScreen {
	return &drillScreen{base: base, told: told, opts: client.Options{Event: event, Token: token, View: wire.View{Mode: wire.Whole}}}
}

// Run implements rehearse.Screen.
func (s *drillScreen) Run(ctx context.Context) {
	for ctx.Err() == nil {
		s.connection(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(100*time.Millisecond + rand.N(400*time.Millisecond)): //nolint:gosec // jitter, as a page has
		}
	}
}

// connection shows the map as long as one connection lives.
func (s *drillScreen) connection(ctx context.Context) {
	o := s.opts
	if o.Resume = s.now.Position; o.Resume == nil {
		s.now.Reset()
	}
	dial, cancel := context.WithTimeout(ctx, 5*time.Second)
	c, err := client.Dial(dial, s.base, o)
	cancel()
	if err != nil {
		return
	}
	defer c.Close()
	showing := false
	for {
		f, err := c.Next(ctx)
		gap := false
		if err == nil {
			s.mu.Lock()
			if _, gap = s.now.Apply(f); gap {
				s.now.Reset()
			}
			s.mu.Unlock()
		}
		_, bye := f.(wire.Bye)
		if err != nil || gap || bye {
			if showing && ctx.Err() == nil {
				s.told(false)
			}
			return
		}
		if !showing {
			showing = true
			s.told(true)
		}
	}
}

// Shows implements rehearse.Screen.
func (s *drillScreen) Shows(seats []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Position == nil || len(s.now.Statuses) == 0 {
		return false
	}
	for o, status := range s.now.Statuses {
		if o/4 >= len(seats) || seats[o/4]>>(2*(o%4))&3 != byte(status) {
			return false
		}
	}
	return true
}
