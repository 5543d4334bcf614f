package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"plateia/core/event"
)

// ExplainedStatements are the engine's on PostgreSQL, by their names in inventory_sql.go, for the test that reads their plans.
func ExplainedStatements() map[string]string {
	return map[string]string{
		"sqlSeatsPostgres": sqlSeatsPostgres, "sqlBuyers": sqlBuyers, "sqlBuyersPostgres": sqlBuyersPostgres, "sqlUpdateSeatsPostgres": sqlUpdateSeatsPostgres,
		"sqlUpdateBuyersPostgres": sqlUpdateBuyersPostgres, "sqlGuessBuyersPostgres": sqlGuessBuyersPostgres, "sqlInsertBuyers": sqlInsertBuyers, "sqlEvent": sqlEvent,
		"sqlAccountsPostgres": sqlAccountsPostgres, "sqlHolds": sqlHolds, "sqlOrders": sqlOrders, "sqlOrdersOf": sqlOrdersOf,
		"sqlOrdersByKey": sqlOrdersByKey, "sqlAttemptsOf": sqlAttemptsOf, "sqlAttemptsByKey": sqlAttemptsByKey, "sqlTicketsOf": sqlTicketsOf,
		"sqlKeys": sqlKeys, "sqlInsertHolds": sqlInsertHolds, "sqlUpdateHolds": sqlUpdateHolds, "sqlEndHolds": sqlEndHolds,
		"sqlInsertDue": sqlInsertDue, "sqlInsertOrder": sqlInsertOrder, "sqlUpdateOrder": sqlUpdateOrder, "sqlEndOrders": sqlEndOrders,
		"sqlInsertAttempt": sqlInsertAttempt, "sqlUpdateAttempt": sqlUpdateAttempt, "sqlInsertTicket": sqlInsertTicket, "sqlVoidTickets": sqlVoidTickets,
		"sqlInsertOrderAudit": sqlInsertOrderAudit, "sqlRetryRefund": sqlRetryRefund, "sqlRefundsOf": sqlRefundsOf, "sqlInsertKey": sqlInsertKey,
		"sqlMoveSeatsPostgres": sqlMoveSeatsPostgres, "sqlInsertAudit": sqlInsertAudit, "sqlInsertOutbox": sqlInsertOutbox,
	}
}

// SQLRecent and SQLPrune read the outbox by time.
const (
	SQLRecent = sqlRecent
	SQLPrune  = sqlPrune
)

// SQLDue is how the sweeper finds what is due.
const SQLDue = sqlDue

// EnginePins are the planner settings of the engine's connections.
func EnginePins() []string { return plannerPins }

// Rewrite changes the engine's statements: a test takes a guard out, or lets the clock run.
func (s *InventoryStore) Rewrite(change func(string) string) {
	for _, sql := range s.sql.texts() {
		*sql = change(*sql)
	}
}

// SpeakAs gives the engine the statements of a dialect, whatever the database is.
func (s *InventoryStore) SpeakAs(d Dialect) { s.sql = engineSQLFor(d) }

func (e *engineSQL) texts() []*string {
	return []*string{
		&e.begin, &e.loadEvent, &e.loadSeats, &e.loadBuyers, &e.updateSeats, &e.updateBuyers, &e.guessBuyers, &e.updateHolds, &e.loadAccounts,
	}
}

// ListingStatement is one statement that tries to find a page.
type ListingStatement struct {
	SQL     string
	Args    []any
	Collect bool
	Most    int // events that are looked at; of a collection, matches
}

// ListingSQL are the statements that are tried to find a page, one after the other.
func ListingSQL(q event.Query) (out []ListingStatement) {
	q = q.Canonical()
	for _, how := range steps(q) {
		sql, args := newListing(q, time.Now()).statement(how, "")
		out = append(out, ListingStatement{sql, args, how.collect, how.most})
	}
	return out
}

// Pool is the engine's own.
func (s *InventoryStore) Pool() *pgxpool.Pool { return s.pool }

// OpenTallies are the statements that are run most often to count.
func OpenTallies() []string {
	out := []string{sqlOldest, sqlLate}
	for _, c := range openTallies {
		out = append(out, c.sql)
	}
	return out
}

// TakeWalks takes every turn to read a list, and gives them back when done is called. The next ones wait no longer than wait.
func (c *Catalog) TakeWalks(wait time.Duration) (done func()) {
	c.walks.wait = wait
	for range cap(c.walks.free) {
		c.walks.free <- struct{}{}
	}
	return func() {
		for range cap(c.walks.free) {
			<-c.walks.free
		}
	}
}

// Connections has test look at each of the engine's connections that are open, at once.
func (s *InventoryStore) Connections(ctx context.Context, test func(*pgx.Conn) error) error {
	for _, conn := range s.pool.AcquireAllIdle(ctx) {
		err := test(conn.Conn())
		conn.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// AwaitConnections returns when the connections that are opened ahead have been: what happens to lines afterwards happens to batches.
func (s *InventoryStore) AwaitConnections(ctx context.Context) error {
	for {
		now := s.pool.Stat()
		if now.IdleConns() >= min(readyConns, now.MaxConns()) && now.ConstructingConns() == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}
