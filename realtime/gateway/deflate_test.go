package gateway_test

import (
	"testing"

	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/client"
	"plateia/realtime/wire"
)

// Those who inflate share one compressed snapshot, those who do not are served as ever, and all see the same.
func TestSnapshotIsCompressedOnce(t *testing.T) {
	s := newSite(t, 60_000, 10)
	g, url := s.gateway()
	token, _ := s.admit()
	var taken []seatmap.Ordinal
	for o := seatmap.Ordinal(0); o < 60_000; o += 7 {
		taken = append(taken, o)
	}
	s.db.commit(inventory.Sold, taken...)
	plain := s.dial(url, client.Options{Token: token, View: whole})
	want := next[wire.Snapshot](t, plain)
	before := g.Stats().Bytes
	const viewers = 10
	maps := make([]client.Map, viewers)
	conns := make([]*client.Conn, viewers)
	for i := range viewers {
		conns[i] = s.dial(url, client.Options{Token: token, View: whole, Inflates: true})
		snap := next[wire.Snapshot](t, conns[i])
		maps[i].Apply(snap)
		if snap.Position != want.Position || len(snap.Statuses) != 60_000 {
			t.Fatalf("got %d seats at %+v", len(snap.Statuses), snap.Position)
		}
	}
	st := g.Stats()
	if st.Hub.Deflations != 1 || st.Hub.Deflated != viewers || st.Hub.Snapshots != 1 {
		t.Errorf("%d compressed for %d, %d encoded", st.Hub.Deflations, st.Hub.Deflated, st.Hub.Snapshots)
	}
	if each := (st.Bytes - before) / viewers; each > 15_000/2 {
		t.Errorf("%d bytes each", each)
	}
	s.change(inventory.Held, 3)
	for i, c := range conns {
		maps[i].Apply(next[wire.Delta](t, c))
		for o, status := range maps[i].Statuses {
			if is := s.db.seats[o].Status; is != status {
				t.Fatalf("viewer %d shows seat %d as %d, it is %d", i, o, status, is)
			}
		}
	}
	small := s.dial(url, client.Options{Token: token, View: wire.View{Mode: wire.Sections, Sections: []int{1}}, Inflates: true})
	if snap := next[wire.Snapshot](t, small); len(snap.Statuses) != 6000 || snap.Statuses[1] != s.db.seats[6001].Status {
		t.Errorf("a section of %d seats", len(snap.Statuses))
	}
}

// A map that starts anew goes to everybody in the form that they asked for.
func TestReloadIsCompressedForThoseWhoInflate(t *testing.T) {
	s := newSite(t, 60_000, 10)
	g, url := s.gateway()
	token, _ := s.admit()
	conns := []*client.Conn{
		s.dial(url, client.Options{Token: token, View: whole}), s.dial(url, client.Options{Token: token, View: whole, Inflates: true}),
		s.dial(url, client.Options{Token: token, View: whole, Inflates: true}),
	}
	for _, c := range conns {
		next[wire.Snapshot](t, c)
	}
	g.Reload(s.db.event)
	for _, c := range conns {
		if snap := next[wire.Snapshot](t, c); len(snap.Statuses) != 60_000 {
			t.Errorf("%d seats", len(snap.Statuses))
		}
	}
	if st := g.Stats().Hub; st.Deflated != 4 || st.Deflations != 2 {
		t.Errorf("%d deflated in %d compressions", st.Deflated, st.Deflations)
	}
}
