package db

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// SigningKey is an Ed25519 key that outlives processes. It prints as its kid.
type SigningKey struct {
	KID       string
	Purpose   string // token, ticket
	Seed      [ed25519.SeedSize]byte
	CreatedAt time.Time
	RetiredAt time.Time // zero: the current one; retired keys still verify
}

// String leaves the seed out.
func (k SigningKey) String() string { return k.Purpose + " key " + k.KID }

// Format leaves the seed out of every verb.
func (k SigningKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// SigningKey returns the current key of a purpose, made by whoever asks first.
func (d *DB) SigningKey(ctx context.Context, purpose string) (SigningKey, error) {
	keys, err := d.SigningKeys(ctx, purpose)
	if err != nil {
		return SigningKey{}, err
	}
	if len(keys) > 0 && keys[0].RetiredAt.IsZero() {
		return keys[0], nil
	}
	if err := d.makeSigningKey(ctx, purpose); err != nil {
		return SigningKey{}, err
	}
	if keys, err = d.SigningKeys(ctx, purpose); err != nil {
		return SigningKey{}, err
	}
	return keys[0], nil
}

// makeSigningKey keeps the key that another process made meanwhile.
func (d *DB) makeSigningKey(ctx context.Context, purpose string) error {
	var seed [ed25519.SeedSize]byte
	var kid [8]byte
	rand.Read(seed[:])
	rand.Read(kid[:])
	_, err := d.pool.Exec(ctx, `insert into signing_key (kid, purpose, seed) values ($1, $2, $3)
		on conflict (purpose) where retired_at is null do nothing`, hex.EncodeToString(kid[:]), purpose, seed[:])
	return translate(err)
}

// SigningKeys lists a purpose's keys, the current one first, then the retired ones, newest first.
func (d *DB) SigningKeys(ctx context.Context, purpose string) ([]SigningKey, error) {
	return collect(ctx, d, readSigningKey, `select kid, purpose, seed, created_at, retired_at from signing_key
		where purpose = $1 order by (retired_at is null) desc, created_at desc, kid`, purpose)
}

func readSigningKey(row pgx.Row) (SigningKey, error) {
	var k SigningKey
	var seed []byte
	var retired *time.Time
	err := row.Scan(&k.KID, &k.Purpose, &seed, &k.CreatedAt, &retired)
	if err == nil && copy(k.Seed[:], seed) != len(k.Seed) {
		err = fmt.Errorf("signing key %s has %d bytes", k.KID, len(seed))
	}
	k.RetiredAt = instant(retired)
	return k, err
}

// RetireSigningKey makes the purpose's next SigningKey a fresh one; what the old key signed stays verifiable.
func (d *DB) RetireSigningKey(ctx context.Context, kid string) error {
	_, err := d.pool.Exec(ctx, "update signing_key set retired_at = now() where kid = $1 and retired_at is null", kid)
	return translate(err)
}
