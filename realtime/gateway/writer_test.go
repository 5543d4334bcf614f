package gateway

import (
	"testing"

	"plateia/realtime/wire"
)

// Somebody who sees seats does not wait until a crowd that looks from afar has been told, and the crowd is not forgotten.
func TestThoseWhoSeeSeatsAreToldFirst(t *testing.T) {
	g := &Gateway{}
	newConn := func(mode wire.Mode) *conn {
		c := &conn{g: g, shard: newShard()}
		c.account[0] = 1
		c.looks(wire.View{Mode: mode})
		return c
	}
	s := newShard()
	crowd := make([]*conn, 10*breath)
	for i := range crowd {
		crowd[i] = newConn(wire.Overview)
		s.add(crowd[i])
	}
	var rounds [2]round
	for told := breath; ; told += breath { // as run does
		s.add(newConn(wire.Whole))
		if !s.take(&rounds) {
			t.Fatal("the writer has ended")
		}
		if len(rounds[near].conns)-rounds[near].next != 1 {
			t.Fatalf("after %d of the crowd who sees seats must wait", rounds[far].next)
		}
		s.write(near, &rounds[near], 1, &g.count)
		s.write(far, &rounds[far], breath, &g.count)
		if rounds[far].next != told {
			t.Fatalf("%d of the crowd were told, want %d", rounds[far].next, told)
		}
		if rounds[far].over() {
			break
		}
	}
	if lag := s.clocks[far].last.Load(); lag <= s.clocks[near].last.Load() {
		t.Errorf("the crowd's round is said to have taken %d ns, less than a single viewer's", lag)
	}
}
