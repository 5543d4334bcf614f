package fanoutbench

import (
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/wire"
)

func TestHearFollowsOurFrames(t *testing.T) {
	var position uint64
	at := time.UnixMilli(1_800_000_000_123)
	epoch := wire.Epoch{Event: 3, Stream: 1 << 40}
	change := []wire.SeatStatus{{Ordinal: 7, Status: inventory.Held}}
	for _, step := range []struct {
		name  string
		frame []byte
		want  news
		moved uint64
	}{
		{"snapshot", wire.AppendSnapshot(nil, wire.Snapshot{Position: wire.Position{Epoch: epoch, Offset: 300}}), news{state: true}, 300},
		{"delta", wire.AppendDelta(nil, wire.Delta{From: 300, To: 310, At: at, Changes: change}), news{change: true, at: at.UnixMilli()}, 310},
		{"sign of life", wire.AppendDelta(nil, wire.Delta{From: 310, To: 310}), news{}, 310},
		{"gap", wire.AppendDelta(nil, wire.Delta{From: 311, To: 312, At: at, Changes: change}), news{change: true, gap: true, at: at.UnixMilli()}, 312},
		{"summary", wire.AppendSummary(nil, wire.Summary{Position: wire.Position{Epoch: epoch, Offset: 400}, At: at, Free: []int{1}}),
			news{state: true, summary: true, change: true, at: at.UnixMilli()}, 400},
		{"bye", wire.AppendBye(nil, wire.Bye{Code: wire.ByeFlood}), news{bye: "bye 8"}, 400},
	} {
		if got := hear(step.frame, &position); got != step.want || position != step.moved {
			t.Errorf("%s: %+v at %d, want %+v at %d", step.name, got, position, step.want, step.moved)
		}
	}
}

func TestHearCentrifugo(t *testing.T) {
	if n := hearCentrifugo([]byte(`{"connect":{"client":"x"}}`)); !n.state || n.change {
		t.Errorf("connect: %+v", n)
	}
	if n := hearCentrifugo([]byte(`{"channel":"c","pub":{"data":{"at":1800000000123,"seats":[7,1]}}}`)); !n.change || n.at != 1_800_000_000_123 {
		t.Errorf("publication: %+v", n)
	}
	if n := hearCentrifugo([]byte(`{}`)); n != (news{}) {
		t.Errorf("ping: %+v", n)
	}
}

func TestCutTakesWholeFramesOnly(t *testing.T) {
	for _, length := range []int{0, 125, 126, 65_535, 65_536} {
		b := []byte{0x80 | opBinary, byte(length)}
		switch {
		case length > 65_535:
			b = append(b[:1], 127, 0, 0, 0, 0, 0, 1, 0, 0)
		case length > 125:
			b = append(b[:1], 126, byte(length>>8), byte(length))
		}
		b = append(append(b, make([]byte, length)...), 0x81)
		op, payload, rest, ok := cut(b)
		if !ok || op != opBinary || len(payload) != length || len(rest) != 1 {
			t.Errorf("%d bytes: op %d, %d bytes, rest %d, %v", length, op, len(payload), len(rest), ok)
		}
		if _, _, _, ok := cut(b[:len(b)-2]); length > 0 && ok {
			t.Errorf("%d bytes: a frame without its last byte was taken", length)
		}
	}
}

func TestViewersAreSpread(t *testing.T) {
	task := &viewerTask{Service: plateia, Targets: []string{"a", "b"}, Events: []id.ID{id.New(), id.New()}, Overview: 0.5}
	seen := map[string]int{}
	overview := 0
	for n := range 4000 {
		seen[task.target(n)+task.event(n).String()]++
		if task.overview(n) {
			overview++
		}
	}
	for _, n := range seen {
		if n != 1000 {
			t.Fatalf("viewers by gateway and event: %v", seen)
		}
	}
	if overview < 1900 || overview > 2100 {
		t.Errorf("%d of 4000 look from afar, want half", overview)
	}
	if task.source(4999) == task.source(5000) {
		t.Error("all call from one address")
	}
}

func TestQuantile(t *testing.T) {
	h := histogram{}
	h.add(histogram{10: 98, 500: 1, 900: 1})
	for q, want := range map[float64]float64{0: 10, 0.5: 10, 0.98: 10, 0.99: 500, 1: 900} {
		if got := h.quantile(q); got != want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if got := (histogram{}).quantile(0.99); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
