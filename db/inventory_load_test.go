package db

import (
	"encoding/binary"
	"fmt"
	"testing"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// keysOf is how many elements an array argument has; 0 for other arguments.
func keysOf(arg any) int {
	array, ok := arg.(packed)
	if !ok || len(array) < 20 {
		return 0
	}
	return int(binary.BigEndian.Uint32(array[12:]))
}

func TestLoadsAreCutIntoChunks(t *testing.T) {
	const many = 2*chunk + 1
	ids, keys, seats := make([]id.ID, many), make([]string, many), make([]seatmap.Ordinal, many)
	for i := range many {
		ids[i], keys[i], seats[i] = id.New(), fmt.Sprint(i), seatmap.Ordinal(2*i)
	}
	needs := map[string]inventory.Needs{
		"seats": {Seats: seats}, "accounts": {Accounts: ids}, "buyers": {Buyers: ids}, "holds": {Holds: ids}, "orders of": {OrdersOf: ids},
		"orders": {Orders: ids}, "pay keys": {PayAccounts: ids, PayKeys: keys}, "request keys": {KeyAccounts: ids, RequestKeys: keys},
	}
	for _, dialect := range []Dialect{Postgres, Cockroach} {
		sql := engineSQLFor(dialect)
		for name, n := range needs {
			l := &loader{tx: &batchTx{sql: &sql}}
			l.ask(&n)
			longest, asked := 0, map[string]int{} // by statement
			for _, q := range l.batch.QueuedQueries {
				most := 0
				for _, arg := range q.Arguments {
					most = max(most, keysOf(arg))
				}
				longest, asked[q.SQL] = max(longest, most), asked[q.SQL]+most
			}
			for statement, keys := range asked {
				if longest > chunk || keys != many {
					t.Errorf("%s, %s: at most %d at once and %d in all by %s", dialect, name, longest, keys, statement)
				}
			}
			if len(asked) == 0 {
				t.Errorf("%s, %s: nothing was asked", dialect, name)
			}
		}
	}
}
