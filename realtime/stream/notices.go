package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"plateia/core/id"
	"plateia/core/notice"
	"plateia/realtime/wire"
)

// Notices go over core NATS, subject notice.<event>, one message for all that a committed batch changed: a rush commits
// tens of thousands of holds a second. They are at most once; pages ask as well.

const (
	noticeRoom    = 1024      // batches that may wait to be sent
	noticeBytes   = 256 << 10 // of one message: servers refuse more than a megabyte
	noticePending = 8 << 20   // bytes that may wait for a gateway
)

// batchNews is what one batch changed.
type batchNews struct {
	event id.ID
	news  []notice.News
}

// Tell sends the news of a batch to the gateways. It does not wait; what does not fit is dropped and counted.
func (c *Client) Tell(event id.ID, news []notice.News) {
	select {
	case c.news <- batchNews{event, news}:
	default:
		c.noticesLost.Add(int64(len(news)))
	}
}

// TellAll sends one notice to everybody who looks at an event.
func (c *Client) TellAll(event id.ID, n wire.Notice) {
	c.sendNotices(event, []wire.Addressed{{Notice: n}})
}

func (c *Client) tellNews(ctx context.Context) {
	var notices []wire.Addressed
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-c.news:
			notices = notices[:0]
			size := 0
			for i := range b.news {
				if b.news[i].Account.IsZero() {
					continue // nobody's: the zero account would be everybody
				}
				n := addressed(&b.news[i])
				if size += wire.NoticesSize(1, len(n.Body)); size > noticeBytes {
					c.sendNotices(b.event, notices)
					notices, size = notices[:0], 0
				}
				notices = append(notices, n)
			}
			c.sendNotices(b.event, notices)
		}
	}
}

func (c *Client) sendNotices(event id.ID, notices []wire.Addressed) {
	if err := c.conn.Publish(c.noticeSubject(event), wire.EncodeNotices(event, notices)); err != nil {
		c.noticesLost.Add(int64(len(notices)))
		c.log.Debug("stream: notices lost", "event", event, "count", len(notices), "error", err)
		return
	}
	c.noticesSent.Add(int64(len(notices)))
}

// addressed puts news into the words of the viewer protocol.
func addressed(n *notice.News) wire.Addressed {
	out := wire.Addressed{Account: n.Account, Notice: wire.Notice{Kind: wire.NoticeHold}}
	body := make([]byte, 0, 160)
	if n.About == notice.Order {
		out.Kind = wire.NoticeOrder
		body = append(append(body, `{"orderId":"`...), n.ID.String()...)
		body = append(append(body, `","status":"`...), n.State...)
	} else {
		body = append(append(body, `{"holdId":"`...), n.ID.String()...)
		body = append(append(body, `","state":"`...), n.State...)
		body = n.ExpiresAt.UTC().AppendFormat(append(body, `","expiresAt":"`...), time.RFC3339Nano)
	}
	out.Body = fmt.Appendf(body, `","version":%d}`, n.Version)
	return out
}

// Notices calls each, from one goroutine, with what is told of an event until stop is called, also across
// reconnects. What comes while the connection is down, or faster than each takes it, is lost.
func (c *Client) Notices(event id.ID, each func(account id.ID, n wire.Notice)) (stop func(), err error) {
	sub, err := c.conn.Subscribe(c.noticeSubject(event), func(msg *nats.Msg) {
		of, notices, err := wire.DecodeNotices(msg.Data)
		if err != nil || of != event {
			c.log.Error("stream: unreadable notices", "subject", msg.Subject, "error", err)
			return
		}
		for i := range notices {
			each(notices[i].Account, notices[i].Notice)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("stream: notices of %s: %w", event, err)
	}
	if err := sub.SetPendingLimits(-1, noticePending); err != nil {
		c.log.Warn("stream: notices are not bounded", "error", err)
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

func (c *Client) noticeSubject(event id.ID) string { return c.o.NoticeSubjects + "." + event.String() }
