package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
)

// keyKeep is how long a repeated request is known. Holds, orders and payments know theirs for as long as they are rows themselves.
const keyKeep = 24 * time.Hour

// rememberKey stores a request's key, or checks that it comes with the same request again.
func rememberKey(ctx context.Context, t pgx.Tx, account id.ID, route string, key inventory.Idempotency) error {
	tag, err := t.Exec(ctx, `insert into request_key (account_id, route, idem_key, body_hash, answer, created_at)
		values ($1, $2, $3, $4, '{}', now()) on conflict (account_id, route, idem_key) do nothing`,
		uid(account), route, key.Key, key.BodyHash[:])
	if err != nil || tag.RowsAffected() == 1 {
		return err
	}
	var hash []byte
	err = t.QueryRow(ctx, `select body_hash from request_key where account_id = $1 and route = $2 and idem_key = $3`,
		uid(account), route, key.Key).Scan(&hash)
	if err == nil && string(hash) != string(key.BodyHash[:]) {
		return fault.New(fault.KeyReused, "this Idempotency-Key was used for another request")
	}
	return err
}

// RequestKeys forgets the keys that nobody repeats any more. It walks through the accounts, so many keys a step, because an index
// by time would be written at one end by every command, and read once a day. Not safe for concurrent use.
type RequestKeys struct {
	d  *DB
	at id.ID // the last account it has been to
}

// RequestKeys begins at the first account.
func (d *DB) RequestKeys() *RequestKeys { return &RequestKeys{d: d} }

const (
	sqlKeyStep    = `select account_id from request_key where account_id > $1 order by account_id offset $2 limit 1`
	sqlForgetKeys = `delete from request_key where account_id > $1 and ($2::uuid is null or account_id <= $2) and created_at < now() - $3::interval`
)

// Forget looks at the next keys, about as many as step says, deletes those that are older than a day and returns how many
// there were. After the last account the next step begins at the first one again.
func (k *RequestKeys) Forget(ctx context.Context, step int) (forgotten int64, err error) {
	var to id.ID
	err = k.d.pool.QueryRow(ctx, sqlKeyStep, [16]byte(k.at), max(step-1, 0)).Scan(into(&to))
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, translate(err)
	}
	tag, err := k.d.pool.Exec(ctx, sqlForgetKeys, [16]byte(k.at), uid(to), keyKeep)
	if err == nil {
		k.at = to
	}
	return tag.RowsAffected(), translate(err)
}
