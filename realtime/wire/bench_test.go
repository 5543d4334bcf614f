package wire

import (
	"testing"
	"time"

	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// What a viewer's frames cost to write once for everybody and to read on each phone.
func BenchmarkFrames(b *testing.B) {
	stadium := Snapshot{Seats: 60_000, Ranges: []Range{{0, 60_000}}, Statuses: make([]inventory.Status, 60_000)}
	snapshot := AppendSnapshot(nil, stadium)
	d := Delta{From: 1, To: 2, At: time.UnixMilli(1)}
	for i := range 25 {
		d.Changes = append(d.Changes, SeatStatus{Ordinal: seatmap.Ordinal(i * 37), Status: inventory.Held})
	}
	delta := AppendDelta(nil, d)
	buf := make([]byte, 0, len(snapshot))
	for name, run := range map[string]func() error{
		"append/snapshot": func() error { AppendSnapshot(buf, stadium); return nil },
		"append/delta":    func() error { AppendDelta(buf, d); return nil },
		"decode/snapshot": func() error { _, err := Decode(snapshot); return err },
		"decode/delta":    func() error { _, err := Decode(delta); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
