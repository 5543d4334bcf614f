package db

import "github.com/jackc/pgx/v5/pgxpool"

// ExplainedStatements are the engine's statements with arguments that fit, for the test that reads their plans.
func ExplainedStatements(d Dialect) map[string]string {
	sql := engineSQLFor(d)
	return map[string]string{
		"seats": sql.loadSeats, "buyers": sql.loadBuyers, "update seats": sql.updateSeats, "update buyers": sql.updateBuyers, "guess buyers": sql.guessBuyers,
		"event": sqlEvent, "accounts": sql.loadAccounts, "holds": sqlHolds, "orders": sqlOrders, "orders of": sqlOrdersOf,
		"orders by key": sqlOrdersByKey, "attempts of": sqlAttemptsOf, "attempts by key": sqlAttemptsByKey, "tickets": sqlTicketsOf,
		"keys": sqlKeys, "update holds": sqlUpdateHolds, "end holds": sqlEndHolds, "update order": sqlUpdateOrder,
		"end orders": sqlEndOrders, "update attempt": sqlUpdateAttempt, "insert buyers": sqlInsertBuyers, "insert holds": sqlInsertHolds,
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

// ListingSQL are the statements that find a page, by the name of their way, and how many events the bounded ones look at.
func ListingSQL(patterns []string) (sql map[string]string, most map[string]int) {
	sql, most = map[string]string{}, map[string]int{"nearby": nearbyEvents, "rare": rareEvents, "walk": allEvents}
	for name, way := range map[string]string{"nearby": walked, "rare": collected, "walk": walked} {
		sql[name], _ = pageSQL(way, "", most[name], patterns)
	}
	return sql, most
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
