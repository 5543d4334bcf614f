package db

// ExplainedStatements are the engine's statements with arguments that fit, for the test that reads their plans.
func ExplainedStatements(d Dialect) map[string]string {
	sql := engineSQLFor(d)
	return map[string]string{
		"seats": sql.loadSeats, "buyers": sql.loadBuyers, "update seats": sql.updateSeats, "update buyers": sql.updateBuyers,
		"event": sqlEvent, "accounts": sql.loadAccounts, "holds": sqlHolds, "orders": sqlOrders, "orders of": sqlOrdersOf,
		"orders by key": sqlOrdersByKey, "attempts of": sqlAttemptsOf, "attempts by key": sqlAttemptsByKey, "tickets": sqlTicketsOf,
		"keys": sqlKeys, "update holds": sqlUpdateHolds, "end holds": sqlEndHolds, "update order": sqlUpdateOrder,
		"end orders": sqlEndOrders, "update attempt": sqlUpdateAttempt, "insert buyers": sqlInsertBuyers, "insert holds": sqlInsertHolds,
	}
}

// EnginePins are the planner settings of the engine's connections.
func EnginePins() []string { return plannerPins }
