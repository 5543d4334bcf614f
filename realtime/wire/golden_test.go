package wire

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

var update = flag.Bool("update", false, "write the golden vectors anew")

// vector is one golden message: its bytes and what they mean, in a form that
// every language can compare.
type vector struct {
	Name    string          `json:"name"`
	Hex     string          `json:"hex"`
	Meaning json.RawMessage `json:"meaning,omitempty"`
	Error   string          `json:"error,omitempty"`
}

func mustID(t testing.TB, s string) id.ID {
	t.Helper()
	v, err := id.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func goldenFrames(t testing.TB) map[string]Frame {
	event := mustID(t, "0b9f7c1e-52a4-4a6e-9d3b-6a1f0c2d4e58")
	pos := Position{Epoch{Event: 3, Stream: 1_722_900_123_456_789}, 70_001}
	at := time.UnixMilli(1_764_424_800_123).UTC()
	return map[string]Frame{
		"hello, signed out, whole chart": Hello{Event: event, View: View{Mode: Whole}},
		"hello, resuming two sections": Hello{Event: event, Token: "eyJ0eXAiOiJhY2Nlc3Mrand0In0.e30.c2ln", Resume: &pos,
			View: View{Mode: Sections, Sections: []int{0, 140}}},
		"view, overview":       View{Mode: Overview},
		"view, three sections": View{Mode: Sections, Sections: []int{2, 3, 300}},
		"snapshot, seven seats": Snapshot{Position: pos, Seats: 7, Ranges: []Range{{0, 7}},
			Statuses: []inventory.Status{0, 1, 2, 3, 3, 0, 1}},
		"snapshot, two sections of a stadium": Snapshot{Position: pos, Seats: 60_000, Ranges: []Range{{200, 204}, {59_995, 60_000}},
			Statuses: []inventory.Status{2, 2, 0, 1, 0, 0, 0, 3, 1}},
		"hello, inflating":              Hello{Event: event, Inflates: true, View: View{Mode: Whole}},
		"hello, inflating and resuming": Hello{Event: event, Inflates: true, Resume: &pos, View: View{Mode: Overview}},
		"snapshot, deflated":            Deflated{Position: pos, Size: 6, Packed: unhex(t, "010600f9ff07010007e413")}, // the seven seats, stored
		"snapshot, nothing":             Snapshot{Position: Position{Epoch: Epoch{Event: 1}}},
		"delta, three changes": Delta{Mark: pos.Mark(), From: 70_001, To: 70_009, At: at,
			Changes: []SeatStatus{{0, inventory.Held}, {1, inventory.Sold}, {59_999, inventory.Available}}},
		"delta, a sign of life":   Delta{Mark: pos.Mark(), From: 70_009, To: 70_009},
		"delta, greatest numbers": Delta{Mark: 0xffff, From: MaxNumber - 1, To: MaxNumber, At: at, Changes: []SeatStatus{{MaxSeats - 1, 3}}},
		"summary":                 Summary{Position: pos, At: at, Free: []int{0, 1, 128, 60_000}},
		"notice, my order":        Notice{Kind: NoticeOrder, Body: []byte(`{"orderId":"0b9f7c1e-52a4-4a6e-9d3b-6a1f0c2d4e58","status":"CONFIRMED"}`)},
		"bye, drain":              Bye{Code: ByeDrain, After: 500 * time.Millisecond, Spread: 20 * time.Second, Text: "gateway restarts"},
		"bye, bare":               Bye{Code: ByeResync},
	}
}

var malformedFrames = map[string]string{
	"empty":                          "",
	"kind unknown":                   "1f",
	"snapshot cut":                   "180301",
	"delta with trailing byte":       "19000001000000" + "00",
	"delta, count without changes":   "1900000101000a",
	"delta, long form of a varint":   "190000" + "8100" + "000000",
	"delta, number over 2^53":        "190000" + "ffffffffffffff7f" + "000000",
	"delta, ordinal over its limit":  "19000001010001" + "80808002",
	"snapshot, bits after last seat": "18030105" + "01" + "0100" + "01" + "04",
	"snapshot, range past the chart": "18030105" + "01" + "0100" + "02" + "00",
	"snapshot, empty range":          "18030105" + "01" + "0100" + "00",
	"view, no sections":              "120200",
	"view, unknown mode":             "1203",
	"hello, token over its limit":    "11000102030405060708090a0b0c0d0e0f" + "8140",
	"hello, unknown flag":            "110b9f7c1e52a44a6e9d3b6a1f0c2d4e58" + "00" + "04" + "01",
	"deflated, nothing":              "1d030105" + "00",
	"deflated, size over its limit":  "1d030105" + "ffffff01" + "00",
	"bye, text cut":                  "1c010000" + "05" + "61",
	"notice, body cut":               "1b0102" + "7b",
}

func TestGoldenFrames(t *testing.T) {
	path := filepath.Join("testdata", "frames.json")
	if *update {
		writeVectors(t, path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	frames := goldenFrames(t)
	seen := 0
	for _, v := range vectors {
		b, err := hex.DecodeString(v.Hex)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b)
		if v.Error != "" {
			if want := map[string]error{"malformed": ErrMalformed, "version": ErrVersion}[v.Error]; !errors.Is(err, want) {
				t.Errorf("%s: got %v, %v; want %v", v.Name, got, err, want)
			}
			continue
		}
		seen++
		want := frames[v.Name]
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", v.Name, got, err, want)
		}
		if hex.EncodeToString(Append(nil, want)) != v.Hex {
			t.Errorf("%s: encodes as %x, golden %s", v.Name, Append(nil, want), v.Hex)
		}
	}
	if seen != len(frames) {
		t.Errorf("%d of %d frames are in %s; run with -update", seen, len(frames), path)
	}
}

func writeVectors(t *testing.T, path string) {
	var vectors []vector
	frames := goldenFrames(t)
	for _, name := range sortedKeys(frames) {
		meaning, err := json.Marshal(meaningOf(frames[name]))
		if err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, vector{Name: name, Hex: hex.EncodeToString(Append(nil, frames[name])), Meaning: meaning})
	}
	for _, name := range sortedKeys(malformedFrames) {
		vectors = append(vectors, vector{Name: name, Hex: malformedFrames[name], Error: "malformed"})
	}
	vectors = append(vectors, vector{Name: "protocol version 2", Hex: "2900000101000000", Error: "version"})
	out, err := json.MarshalIndent(vectors, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(out, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// meaningOf is a frame in the words of the specification.
func meaningOf(f Frame) map[string]any {
	switch f := f.(type) {
	case Hello:
		m := map[string]any{"kind": "hello", "event": f.Event.String(), "token": f.Token, "view": viewOf(f.View)}
		if f.Inflates {
			m["inflates"] = true
		}
		if f.Resume != nil {
			m["resume"] = positionOf(*f.Resume)
		}
		return m
	case View:
		return map[string]any{"kind": "view", "view": viewOf(f)}
	case Snapshot:
		ranges := [][2]seatmap.Ordinal{}
		for _, r := range f.Ranges {
			ranges = append(ranges, [2]seatmap.Ordinal{r.From, r.To})
		}
		return map[string]any{"kind": "snapshot", "position": positionOf(f.Position), "seats": f.Seats, "ranges": ranges, "statuses": numbers(f.Statuses)}
	case Deflated:
		return map[string]any{"kind": "deflated", "position": positionOf(f.Position), "size": f.Size, "packed": hex.EncodeToString(f.Packed)}
	case Delta:
		changes := [][2]int{}
		for _, c := range f.Changes {
			changes = append(changes, [2]int{int(c.Ordinal), int(c.Status)})
		}
		return map[string]any{"kind": "delta", "mark": f.Mark, "from": f.From, "to": f.To, "at": millis(f.At), "changes": changes}
	case Summary:
		return map[string]any{"kind": "summary", "position": positionOf(f.Position), "at": millis(f.At), "free": f.Free}
	case Notice:
		return map[string]any{"kind": "notice", "notice": f.Kind, "body": json.RawMessage(f.Body)}
	case Bye:
		return map[string]any{"kind": "bye", "code": f.Code, "after": f.After.Milliseconds(), "spread": f.Spread.Milliseconds(), "text": f.Text}
	}
	return nil
}

func viewOf(v View) map[string]any {
	return map[string]any{"mode": v.Mode, "sections": append([]int{}, v.Sections...)}
}

func positionOf(p Position) map[string]any {
	return map[string]any{"event": p.Event, "stream": p.Stream, "offset": p.Offset, "mark": p.Mark()}
}

func numbers(statuses []inventory.Status) []int {
	out := []int{}
	for _, s := range statuses {
		out = append(out, int(s))
	}
	return out
}
