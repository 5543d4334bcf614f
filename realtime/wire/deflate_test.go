package wire

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// stadium is a map in the middle of its sale: runs of sold seats, single holds, what is left.
func stadium(seats int, sold float64) Snapshot {
	r := rand.New(rand.NewPCG(1, 2))
	s := Snapshot{Position: Position{Epoch{Event: 1, Stream: 1_722_900_123_456_789}, 70_001}, Seats: seats,
		Ranges: []Range{{0, seatmap.Ordinal(seats)}}, Statuses: make([]inventory.Status, seats)}
	for i := 0; i < seats; {
		n, status := 1+r.IntN(6), inventory.Available
		if r.Float64() < sold {
			status = inventory.Sold
		}
		if r.IntN(20) == 0 {
			status = inventory.Held
		}
		for ; n > 0 && i < seats; n, i = n-1, i+1 {
			s.Statuses[i] = status
		}
	}
	return s
}

func TestDeflate(t *testing.T) {
	var f Deflater
	for _, s := range []Snapshot{stadium(60_000, 0), stadium(60_000, 0.5), stadium(3000, 0.9)} {
		plain := AppendSnapshot(nil, s)
		packed := f.Deflate(plain)
		got, err := Decode(packed)
		d, ok := got.(Deflated)
		if err != nil || !ok || len(packed) >= len(plain) {
			t.Fatalf("%d bytes of %d: %T %v", len(packed), len(plain), got, err)
		}
		t.Logf("%d seats: %d of %d bytes", s.Seats, len(packed), len(plain))
		if back, err := d.Inflate(); err != nil || !reflect.DeepEqual(back, s) {
			t.Errorf("inflates to something else: %v", err)
		}
		if p := Reached(packed, Position{}); p != s.Position {
			t.Errorf("leads to %+v", p)
		}
		for name, bad := range map[string]Deflated{
			"cut":        {d.Position, d.Size, d.Packed[:len(d.Packed)-1]},
			"says less":  {d.Position, d.Size - 1, d.Packed},
			"says more":  {d.Position, d.Size + 1, d.Packed},
			"more after": {d.Position, d.Size, append(bytes.Clone(d.Packed), 0)},
			"rubbish":    {d.Position, d.Size, []byte("rubbish")},
		} {
			if _, err := bad.Inflate(); !errors.Is(err, ErrMalformed) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	noise := stadium(4000, 0)
	for i := range noise.Statuses {
		noise.Statuses[i] = inventory.Status(rand.IntN(4))
	}
	for name, plain := range map[string][]byte{
		"short": AppendSnapshot(nil, stadium(100, 0)), "noise": AppendSnapshot(nil, noise), "a summary": AppendSummary(nil, Summary{Free: make([]int, 2000)}),
	} {
		if got := f.Deflate(plain); !bytes.Equal(got, plain) {
			t.Errorf("%s: became %d bytes of %d", name, len(got), len(plain))
		}
	}
}

func FuzzInflate(f *testing.F) {
	var d Deflater
	f.Add(d.Deflate(AppendSnapshot(nil, stadium(3000, 0.5))))
	f.Add(AppendDeflated(nil, Deflated{Size: 6, Packed: []byte{1, 6, 0, 0xf9, 0xff, 7, 1, 0, 7, 0xe4, 0x13}}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame, err := Decode(raw)
		if packed, ok := frame.(Deflated); ok && err == nil {
			s, err := packed.Inflate()
			if err == nil && s.Position != packed.Position {
				t.Errorf("%+v became %+v", packed, s)
			}
			if err != nil && !errors.Is(err, ErrMalformed) {
				t.Errorf("an error of another kind: %v", err)
			}
		}
	})
}

// A stadium in the middle of its sale.
func BenchmarkDeflate(b *testing.B) {
	plain := AppendSnapshot(nil, stadium(60_000, 0.5))
	var f Deflater
	n := 0
	for b.Loop() {
		n = len(f.Deflate(plain))
	}
	b.ReportMetric(float64(n), "B/snapshot")
}

func BenchmarkNewDeflater(b *testing.B) {
	plain := AppendSnapshot(nil, stadium(60_000, 0.5))
	b.ReportAllocs()
	for b.Loop() {
		new(Deflater).Deflate(plain)
	}
}
