package main

import (
	"context"
	"time"

	"plateia/core/id"
	"plateia/core/load"
)

// openLoad tells every second how this process's engines do, and hears of all others': whoever leads the waiting rooms lets
// fewer in while holds take long anywhere.
func (h *house) openLoad(ctx context.Context) error {
	h.loads = load.NewBoard(time.Now)
	stop, err := h.stream.Load(h.loads.Hear)
	if err != nil {
		return err
	}
	h.life.started = append(h.life.started, part{name: "load of other processes", stop: func(context.Context) error { stop(); return nil }})
	if h.inventory == nil {
		return nil
	}
	process := id.New()
	return h.repeat(ctx, "telling of the load", load.Every, func(context.Context) error {
		return h.stream.TellLoad(process, h.inventory.Load())
	})
}
