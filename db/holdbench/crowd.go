package holdbench

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/db"
)

// crowd is fans who have come in through the door, each with the rows that the
// door writes when it lets somebody in and an access token: one hold each.
type crowd struct {
	tokens []byte // "Bearer …", one behind the other: nothing for the collector to look at
	ends   []int
	groups map[id.ID]*group // by event
}

type group struct {
	first, size int
	taken       atomic.Int64
}

// chunk is the number of rows in one statement at most.
const chunk = 1000

// admit lets so many fans in to each event. Their tokens are signed by the API's authority.
func admit(ctx context.Context, d *db.DB, mint func(account.Access) (string, error), events []id.ID, each []int) (*crowd, error) {
	c := &crowd{groups: map[id.ID]*group{}}
	for i, event := range events {
		g := &group{first: len(c.ends), size: each[i]}
		c.groups[event] = g
		for done := 0; done < g.size; done += chunk {
			if err := c.admitSome(ctx, d, mint, event, min(chunk, g.size-done)); err != nil {
				return nil, err
			}
		}
	}
	for _, statement := range []string{"analyze buyer", "analyze admission"} {
		if _, err := d.Pool().Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("holdbench: %s: %w", statement, err)
		}
	}
	return c, nil
}

func (c *crowd) admitSome(ctx context.Context, d *db.DB, mint func(account.Access) (string, error), event id.ID, n int) error {
	accounts, sessions := make([]id.ID, n), make([]id.ID, n)
	for i := range n {
		accounts[i], sessions[i] = id.New(), id.New()
		token, err := mint(account.Access{Event: event, Account: accounts[i], Session: sessions[i], KeyThumb: thumb})
		if err != nil {
			return err
		}
		c.tokens = append(append(c.tokens, "Bearer "...), token...)
		c.ends = append(c.ends, len(c.tokens))
	}
	people, in := uuids(accounts), uuids(sessions)
	batch := &pgx.Batch{}
	batch.Queue(`insert into buyer (account_id, event_id, session_id) select unnest($1::uuid[]), $2::uuid, unnest($3::uuid[])`,
		people, [16]byte(event), in)
	batch.Queue(`insert into admission (account_id, event_id, session_id, epoch, admitted_at, renewed_at, last_seen, sold_before)
		select unnest($1::uuid[]), $2::uuid, unnest($3::uuid[]), 1, now(), now(), now(), 0`,
		people, [16]byte(event), in)
	if err := d.Pool().SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("holdbench: let fans in: %w", err)
	}
	return nil
}

// thumb is as long as the thumbprint of a fan's key; nothing in a hold asks for the key itself.
const thumb = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

// next is the credential of a fan who has not held yet; false when there is none.
func (c *crowd) next(event id.ID) ([]byte, bool) {
	g := c.groups[event]
	if g == nil {
		return nil, false
	}
	n := int(g.taken.Add(1) - 1)
	if n >= g.size {
		return nil, false
	}
	begin, n := 0, n+g.first
	if n > 0 {
		begin = c.ends[n-1]
	}
	return c.tokens[begin:c.ends[n]:c.ends[n]], true
}
