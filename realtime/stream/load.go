package stream

import (
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"

	"plateia/core/id"
	"plateia/core/load"
)

// How engines do goes over core NATS, subject health, one message a second from each process. A lost one is made good by the
// next; whoever hears nothing for load.Life takes it that there is nothing to tell.

// loadSaid is one message.
type loadSaid struct {
	Process id.ID        `json:"process"`
	Events  []load.Event `json:"events"`
}

// TellLoad tells all processes, this one included, how this one's engines do: at most load.MostEvents of them.
func (c *Client) TellLoad(process id.ID, events []load.Event) error {
	text, err := json.Marshal(loadSaid{process, events[:min(len(events), load.MostEvents)]})
	if err == nil {
		err = c.conn.Publish(c.o.LoadSubject, text)
	}
	if err != nil {
		return fmt.Errorf("stream: tell of the load: %w", err)
	}
	return nil
}

// Load calls hear, from one goroutine, with what each process tells until stop is called, also across reconnects.
func (c *Client) Load(hear func(process id.ID, events []load.Event)) (stop func(), err error) {
	sub, err := c.conn.Subscribe(c.o.LoadSubject, func(msg *nats.Msg) {
		var said loadSaid
		if err := json.Unmarshal(msg.Data, &said); err != nil {
			c.log.Error("stream: unreadable load", "error", err)
			return
		}
		hear(said.Process, said.Events)
	})
	if err != nil {
		return nil, fmt.Errorf("stream: listen to the load: %w", err)
	}
	if err := sub.SetPendingLimits(-1, noticePending); err != nil {
		c.log.Warn("stream: what waits of the load is not bounded", "error", err)
	}
	return func() { _ = sub.Unsubscribe() }, nil
}
