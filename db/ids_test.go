package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
)

// roundTrip is called with a connection by TestIDs, in the external tests' package.
func roundTrip(ctx context.Context, conn interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}) error {
	v, w, none := id.New(), id.New(), id.New()
	var got, maybeGot id.ID
	if err := conn.QueryRow(ctx, "select $1::uuid, $2::uuid, $3::uuid", uid(v), uid(w), uid(id.ID{})).
		Scan(into(&got), maybe(&maybeGot), maybe(&none)); err != nil {
		return err
	}
	if got != v || maybeGot != w || !none.IsZero() {
		return fmt.Errorf("%v %v %v", got, maybeGot, none)
	}
	var n int
	err := conn.QueryRow(ctx, "select count(*) from unnest($1::uuid[]) as u (x) where x = $2", uids([]id.ID{v, w, v}), uid(v)).Scan(&n)
	if err == nil && n != 2 {
		err = fmt.Errorf("%d of 3 ids found", n)
	}
	return err
}

// RoundTrip lets the tests with a server reach roundTrip.
var RoundTrip = roundTrip
