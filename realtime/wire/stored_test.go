package wire

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plateia/core/inventory"
	"plateia/core/seatmap"
)

func sampleStored(t testing.TB) Stored {
	return Stored{
		Event: mustID(t, "0b9f7c1e-52a4-4a6e-9d3b-6a1f0c2d4e58"), Last: mustID(t, "6e7a1d7e-0000-4000-8000-0123456789ab"),
		Position: Position{Epoch{Event: 3, Stream: 1_722_900_123_456_789}, 70_001}, Seen: 70_300,
		Sections: []Range{{0, 2}, {2, 2}, {2, 5}},
		Statuses: []inventory.Status{0, 1, 2, 3, 1}, Versions: []int64{1, 2, 300, 1, 1 << 40},
	}
}

func TestStoredGolden(t *testing.T) {
	path := filepath.Join("testdata", "stored.hex")
	got := hex.EncodeToString(EncodeStored(sampleStored(t)))
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
		t.Errorf("the stored snapshot changed: buckets of running systems hold the old form\n got %s\nwant %s", got, want)
	}
}

func TestStoredRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Stored{Position: Position{Epoch{Event: rapid.Int64Range(0, 9).Draw(t, "epoch"), Stream: rapid.Uint64Range(0, MaxNumber).Draw(t, "life")},
			rapid.Uint64Range(0, MaxNumber).Draw(t, "at")}}
		s.Seen = rapid.Uint64Range(s.Offset, MaxNumber).Draw(t, "seen")
		copy(s.Last[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "last"))
		s.Statuses, s.Versions = nil, []int64{}
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 9), 0, 6).Draw(t, "sections") {
			from := seatmap.Ordinal(len(s.Statuses))
			for range n {
				s.Statuses = append(s.Statuses, inventory.Status(rapid.IntRange(0, 3).Draw(t, "status")))
				s.Versions = append(s.Versions, rapid.Int64Range(0, MaxNumber).Draw(t, "version"))
			}
			s.Sections = append(s.Sections, Range{from, seatmap.Ordinal(len(s.Statuses))})
		}
		got, err := DecodeStored(EncodeStored(s))
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("got %+v, %v; want %+v", got, err, s)
		}
	})
}

func TestStoredRefuses(t *testing.T) {
	good := EncodeStored(sampleStored(t))
	for n := range good {
		if _, err := DecodeStored(good[:n]); !errors.Is(err, ErrMalformed) {
			t.Errorf("cut to %d of %d bytes: %v", n, len(good), err)
		}
	}
	if _, err := DecodeStored(append(good, 0)); !errors.Is(err, ErrMalformed) {
		t.Errorf("a trailing byte: %v", err)
	}
	good[0] = 2
	if _, err := DecodeStored(good); !errors.Is(err, ErrVersion) {
		t.Errorf("version 2: %v", err)
	}
}

func FuzzDecodeStored(f *testing.F) {
	f.Add(EncodeStored(sampleStored(f)))
	f.Add(EncodeStored(Stored{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeStored(b)
		if err != nil {
			return
		}
		if again := EncodeStored(s); string(again) != string(b) {
			t.Fatalf("two encodings of one value: %x and %x", b, again)
		}
	})
}
