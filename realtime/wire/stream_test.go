package wire

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

func sampleDelta(t testing.TB) inventory.Delta {
	return inventory.Delta{
		ID: mustID(t, "6e7a1d7e-0000-4000-8000-0123456789ab"), Event: mustID(t, "0b9f7c1e-52a4-4a6e-9d3b-6a1f0c2d4e58"),
		At: time.UnixMicro(1_764_424_800_123_456).UTC(),
		Changes: []inventory.Change{
			{Ordinal: 0, Status: inventory.Held, Version: 2}, {Ordinal: 1, Status: inventory.Held, Version: 900},
			{Ordinal: 59_999, Status: inventory.Available, Version: 1 << 40},
		},
	}
}

func TestStreamGolden(t *testing.T) {
	path := filepath.Join("testdata", "stream.hex")
	got := hex.EncodeToString(EncodeStream(sampleDelta(t)))
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(want)) != got {
		t.Errorf("the stream message changed: outbox rows and streams of running systems hold the old form\n got %s\nwant %s", got, want)
	}
}

func TestStreamRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDelta(t)
		got, err := DecodeStream(EncodeStream(d))
		if err != nil || !reflect.DeepEqual(got, d) {
			t.Fatalf("got %+v, %v; want %+v", got, err, d)
		}
	})
}

func drawDelta(t *rapid.T) inventory.Delta {
	d := inventory.Delta{At: time.UnixMicro(rapid.Int64Range(0, MaxNumber).Draw(t, "at")).UTC(), Changes: []inventory.Change{}}
	copy(d.ID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	d.Event = id.ID{15: rapid.Byte().Draw(t, "event")}
	next := seatmap.Ordinal(0)
	for range rapid.IntRange(0, 30).Draw(t, "changes") {
		o := next + seatmap.Ordinal(rapid.IntRange(0, 3000).Draw(t, "gap"))
		d.Changes = append(d.Changes, inventory.Change{
			Ordinal: o, Status: inventory.Status(rapid.IntRange(0, 3).Draw(t, "status")),
			Version: rapid.Int64Range(1, MaxNumber>>2).Draw(t, "version"),
		})
		next = o + 1
	}
	return d
}

func TestStreamRefuses(t *testing.T) {
	good := EncodeStream(sampleDelta(t))
	for n := range good {
		if _, err := DecodeStream(good[:n]); err == nil {
			t.Errorf("a message cut to %d of %d bytes was accepted", n, len(good))
		}
	}
	if _, err := DecodeStream(append(good, 0)); !errors.Is(err, ErrMalformed) {
		t.Errorf("a trailing byte: %v", err)
	}
	good[0] = 2
	if _, err := DecodeStream(good); !errors.Is(err, ErrVersion) {
		t.Errorf("version 2: %v", err)
	}
}

func FuzzDecodeStream(f *testing.F) {
	f.Add(EncodeStream(sampleDelta(f)))
	for _, s := range readCorpus(f).Stream {
		f.Add(s.bytes(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := DecodeStream(b)
		if err != nil {
			return
		}
		if again := EncodeStream(d); string(again) != string(b) {
			t.Fatalf("two encodings of one message: %x and %x", b, again)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, frame := range goldenFrames(f) {
		f.Add(Append(nil, frame))
	}
	for _, s := range readCorpus(f).Frames {
		f.Add(s.bytes(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := Decode(b)
		if err != nil {
			return
		}
		if again := Append(nil, frame); string(again) != string(b) {
			t.Fatalf("two encodings of one %T: %x and %x", frame, b, again)
		}
	})
}

func TestDeltaSize(t *testing.T) {
	d := Delta{From: 70_000, To: 70_020, At: time.UnixMilli(1_764_424_800_123)}
	for i := range 25 {
		d.Changes = append(d.Changes, SeatStatus{Ordinal: seatmap.Ordinal(i * 2400 / 16), Status: inventory.Held})
	}
	if n := len(AppendDelta(nil, d)); n > 66 {
		t.Errorf("25 changes take %d bytes", n)
	}
	stadium := Snapshot{Seats: 60_000, Ranges: []Range{{0, 60_000}}, Statuses: make([]inventory.Status, 60_000)}
	if n := len(AppendSnapshot(nil, stadium)); n > 15_020 {
		t.Errorf("a stadium takes %d bytes", n)
	}
}

func TestEncodersDoNotAllocate(t *testing.T) {
	stadium := Snapshot{Seats: 60_000, Ranges: []Range{{0, 60_000}}, Statuses: make([]inventory.Status, 60_000)}
	d := Delta{Changes: make([]SeatStatus, 25)}
	for i := range d.Changes {
		d.Changes[i].Ordinal = seatmap.Ordinal(i)
	}
	buf := make([]byte, 0, SnapshotSize(60_000, 1))
	if n := testing.AllocsPerRun(10, func() { AppendSnapshot(buf, stadium); AppendDelta(buf, d) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecodeStream(b *testing.B) {
	d := inventory.Delta{At: time.UnixMicro(1)}
	for i := range 500 {
		d.Changes = append(d.Changes, inventory.Change{Ordinal: seatmap.Ordinal(i * 37), Status: 1, Version: 9})
	}
	msg := EncodeStream(d)
	for b.Loop() {
		if _, err := DecodeStream(msg); err != nil {
			b.Fatal(err)
		}
	}
}
