package stream

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"

	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// tailBuffer is how many messages may wait for a Tail's each.
const tailBuffer = 4096

// Tail calls each, from one goroutine, with the batches of all events as they are
// published, until ctx ends. It has no position and misses what is published while
// the connection is down or each is too slow: it is for projections that only have
// to be fresh, such as an engine's that hears of other processes' sales.
func (c *Client) Tail(ctx context.Context, each func(inventory.Delta)) error {
	messages := make(chan *nats.Msg, tailBuffer)
	sub, err := c.conn.ChanSubscribe(c.tailSubject(), messages)
	if err != nil {
		return fmt.Errorf("stream: tail: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case msg := <-messages:
			d, err := wire.DecodeStream(msg.Data)
			if err != nil {
				c.log.Error("stream: unreadable message", "subject", msg.Subject, "error", err)
				continue
			}
			each(d)
		}
	}
}
