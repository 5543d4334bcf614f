package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/account"
	"plateia/core/id"
)

// Accounts keeps people and their one-time codes.
type Accounts struct{ db *DB }

// NewAccounts returns the store of accounts in d.
func NewAccounts(d *DB) *Accounts { return &Accounts{d} }

// errRaced makes the retry loop run a transaction again: a row it had read was written by another.
var errRaced = &restart{errors.New("db: raced with another transaction")}

// UpdateCode lets decide see an address's code and keeps what it returns. The row is
// written only as it was read; when it has changed meanwhile everything starts over.
func (s *Accounts) UpdateCode(ctx context.Context, email string, decide func(now time.Time, prev *account.Code) (account.Code, bool)) error {
	return tx(ctx, s.db, func(t pgx.Tx) error {
		now, prev, err := readCode(ctx, t, email)
		if err != nil {
			return err
		}
		next, write := decide(now, prev)
		if !write {
			return nil
		}
		return writeCode(ctx, t, prev, next)
	})
}

func readCode(ctx context.Context, t pgx.Tx, email string) (now time.Time, prev *account.Code, err error) {
	if err := t.QueryRow(ctx, "select now()").Scan(&now); err != nil {
		return now, nil, err
	}
	c := account.Code{Email: email}
	err = t.QueryRow(ctx, "select code_hash, expires_at, tries, sent, sent_at from sign_in_code where email = $1", email).
		Scan(&c.Hash, &c.ExpiresAt, &c.Tries, &c.Sent, &c.SentAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return now, nil, nil
	}
	return now, &c, err
}

func writeCode(ctx context.Context, t pgx.Tx, prev *account.Code, next account.Code) error {
	hash := next.Hash
	if hash == nil {
		hash = []byte{}
	}
	query := `insert into sign_in_code (email, code_hash, expires_at, tries, sent, sent_at)
		values ($1, $2, $3, $4, $5, $6) on conflict (email) do nothing`
	args := []any{next.Email, hash, next.ExpiresAt, next.Tries, next.Sent, next.SentAt}
	if prev != nil {
		query = `update sign_in_code set code_hash = $2, expires_at = $3, tries = $4, sent = $5, sent_at = $6
			where email = $1 and tries = $7 and sent_at = $8 and code_hash = $9`
		args = append(args, prev.Tries, prev.SentAt, prev.Hash)
	}
	tag, err := t.Exec(ctx, query, args...)
	if err == nil && tag.RowsAffected() != 1 {
		return errRaced
	}
	return err
}

// OpenAccount returns the account of an address, made under the fresh ID if there is none.
func (s *Accounts) OpenAccount(ctx context.Context, email string, fresh id.ID) (account.Account, error) {
	var a account.Account
	err := tx(ctx, s.db, func(t pgx.Tx) error {
		_, err := t.Exec(ctx, "insert into account (account_id, email) values ($1, $2) on conflict (email) do nothing", uid(fresh), email)
		if err != nil {
			return err
		}
		a, err = scanAccount(t.QueryRow(ctx, "select account_id, email, created_at from account where email = $1", email))
		if errors.Is(err, pgx.ErrNoRows) {
			return errRaced
		}
		return err
	})
	return a, err
}

// Account returns a person; fault.NotFound when there is none.
func (s *Accounts) Account(ctx context.Context, who id.ID) (account.Account, error) {
	a, err := scanAccount(s.db.pool.QueryRow(ctx, "select account_id, email, created_at from account where account_id = $1", uid(who)))
	return a, notFound(err, "account")
}

func scanAccount(row pgx.Row) (account.Account, error) {
	var a account.Account
	err := row.Scan(into(&a.ID), &a.Email, &a.CreatedAt)
	a.CreatedAt = a.CreatedAt.UTC()
	return a, err
}

// ForgetCodes deletes codes nobody has asked for in a day.
func (s *Accounts) ForgetCodes(ctx context.Context) error {
	_, err := s.db.pool.Exec(ctx, "delete from sign_in_code where sent_at < now() - interval '1 day'")
	return translate(err)
}

var _ account.Store = (*Accounts)(nil)
