package inventory

import (
	"time"

	"plateia/core/id"
)

// OutboxRecord is an outbox row that has to reach the stream.
type OutboxRecord struct {
	ID        id.ID // of the batch; Nats-Msg-Id
	Event     id.ID
	Payload   []byte // the encoded Delta
	CreatedAt time.Time
}
