package stream

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
)

// publication awaits its acknowledgement.
type publication struct {
	id     id.ID
	future jetstream.PubAckFuture
	sentAt time.Time
}

// Publish hands a committed batch to the stream and returns without waiting for
// the server: its acknowledgement marks the outbox row through the relay. An
// error (always retryable: fault.Busy) means that the relay will do it later; the
// sale must not wait for it or fail because of it.
func (c *Client) Publish(_ context.Context, d inventory.Delta, payload []byte) error {
	if len(c.pending) >= cap(c.pending)-1 {
		c.publishFailed.Add(1)
		return fault.New(fault.Busy, "the seat stream is behind")
	}
	future, err := c.send(d.ID, d.Event, payload)
	if err != nil {
		c.publishFailed.Add(1)
		return fault.Wrap(err, fault.Busy, "the seat stream is away")
	}
	select {
	case c.pending <- publication{d.ID, future, time.Now()}:
	default: // sent, but nobody will look at its acknowledgement: the relay repeats it
	}
	return nil
}

func (c *Client) send(batch, event id.ID, payload []byte) (jetstream.PubAckFuture, error) {
	if !c.conn.IsConnected() {
		return nil, nats.ErrDisconnected
	}
	msg := &nats.Msg{Subject: c.publishSubject(event), Data: payload}
	future, err := c.js.PublishMsgAsync(msg, jetstream.WithMsgID(batch.String()), jetstream.WithStallWait(time.Millisecond), jetstream.WithRetryAttempts(0))
	if err == nil {
		c.published.Add(1)
	}
	return future, err
}

// collect watches the acknowledgements of the fast path, in order.
func (c *Client) collect(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-c.pending:
			if c.settle(ctx, p) {
				c.offer(p.id)
			}
		}
	}
}

// settle waits for an acknowledgement until ackWait after sending.
func (c *Client) settle(ctx context.Context, p publication) bool {
	select {
	case <-p.future.Ok():
		c.acknowledged.Add(1)
		return true
	case err := <-p.future.Err():
		c.log.Debug("stream: not acknowledged", "batch", p.id, "error", err)
	case <-time.After(time.Until(p.sentAt.Add(ackWait))):
	case <-ctx.Done():
	}
	c.publishFailed.Add(1)
	return false
}

// offer gives an acknowledged id to the relay; when nobody takes them the relay
// of another process will find the row unmarked and repeat it, which is harmless.
func (c *Client) offer(batch id.ID) {
	select {
	case c.acked <- batch:
	default:
	}
}

// takeAcked returns up to limit acknowledged ids.
func (c *Client) takeAcked(limit int) []id.ID {
	var ids []id.ID
	for len(ids) < limit {
		select {
		case batch := <-c.acked:
			ids = append(ids, batch)
		default:
			return ids
		}
	}
	return ids
}
