package simulate

import (
	"testing"

	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
)

// small is a line of fans whose lots are spread evenly, so that their order is known.
func small(t *testing.T, fans, target int) *world {
	t.Helper()
	c := &crowd{perSec: make([]int64, 1), seed: draw.Digest{1}}
	for i := range fans {
		c.lottery = append(c.lottery, draw.RankAt((float64(i)+0.5)/float64(fans)))
	}
	w := &world{Options: Options{Fans: fans, Target: target, Minutes: 60, Scenario: Scenario{Name: "case"}}, seconds: 3600, onSale: onSale, changed: -1, crowd: c}
	w.open(event)
	var err error
	if w.signs, err = newSigner(event, c.seed, w.onSale); err != nil {
		t.Fatal(err)
	}
	return w
}

// Case 1: ten are there, ten are gone, ten are there. The line drains, and those who are absent cost one claim window at most.
func TestTenThereTenGoneTenThere(t *testing.T) {
	w := small(t, 30, 10)
	drained := 0
	for second := range w.seconds {
		b := Behaviour{Dwell: 1}
		if w.lottery >= 10 && w.lottery < 20 {
			b.NoShow = 1
		}
		if err := w.tick(second, b, -1); err != nil {
			t.Fatal(err)
		}
		if w.waiting() == 0 && drained == 0 {
			drained = second
		}
	}
	// The ten in front stay five minutes on average, ten at a time; then the line waits for the absent, and for nobody else.
	if drained == 0 || drained > drawTakes+claimWindow+int(2*ordinaryStay) {
		t.Errorf("the line is empty after %d s", drained)
	}
	if w.room.admitted < 20 || w.out.OccupancyMaxPct > 102 {
		t.Errorf("%d were let in, %v %% at most", w.room.admitted, w.out.OccupancyMaxPct)
	}
}

// Case 2: when all are served or gone, nobody is left in the count of those who wait, at the door, inside, or expected.
func TestALineThatIsOverIsEmpty(t *testing.T) {
	w := small(t, 400, 40)
	for second := range w.seconds {
		if err := w.tick(second, Behaviour{Dwell: 0.2, NoShow: 0.3}, -1); err != nil {
			t.Fatal(err)
		}
	}
	if w.waiting() != 0 || w.room.inside != 0 || w.room.present != 0 || len(w.room.door) != 0 {
		t.Errorf("%d wait, %d inside, %d of them really, %d at the door", w.waiting(), w.room.inside, w.room.present, len(w.room.door))
	}
	if served := w.doc.Line.Served(w.doc.Frontiers); served != 400 {
		t.Errorf("the document counts %v of 400 as served", served)
	}
	if w.room.admitted < 280 {
		t.Errorf("%d were let in", w.room.admitted)
	}
}

// Case 8: three hundred points of presence, each with a copy of the document of its own age. Together they let in nobody whom the
// newest copy would not: there is one frontier, and no share of it for each.
func TestThreeHundredGatesAreOneFrontier(t *testing.T) {
	w := small(t, 30_000, 1000)
	var copies []*frontier.Document
	for second := range 300 {
		if err := w.tick(second, Behaviour{Dwell: 1, NoShow: 0.15}, -1); err != nil {
			t.Fatal(err)
		}
		copies = append(copies, w.doc)
		for pop := range 300 {
			held := copies[max(0, second-pop/5)] // up to a minute old
			i := (pop*w.lottery/150 + second) % w.Fans
			if held.Frontiers.Reaches(w.lotteryTicket(i)) && i >= w.lottery {
				t.Fatalf("second %d: gate %d lets in fan %d, the frontier is at %d", second, pop, i, w.lottery)
			}
		}
	}
	if w.out.OccupancyMaxPct > 102.05 || w.room.admitted < 900 {
		t.Errorf("%d were let in, %v %% at most", w.room.admitted, w.out.OccupancyMaxPct)
	}
}

// People who are quick leave a small room as soon as they came. It fills it all the same: in cohorts of two or three, chance alone
// makes some come and others not, and nobody may be waited for who was never there.
func TestASmallRoomOfQuickPeopleIsNotHalfEmpty(t *testing.T) {
	w := small(t, 20_000, 50)
	const seconds = 300
	for second := range seconds {
		if err := w.tick(second, Behaviour{Dwell: 0.02, NoShow: 0.15}, -1); err != nil {
			t.Fatal(err)
		}
	}
	inside := 0.0
	for _, n := range w.series.Inside[seconds/2:] {
		inside += n / (seconds / 2)
	}
	t.Logf("%d let in, %.0f inside on average, at most %v %%", w.room.admitted, inside, w.out.OccupancyMaxPct)
	if inside < 35 || w.out.OccupancyMaxPct > 102 {
		t.Errorf("%.0f of 50 are inside on average, %v %% at most", inside, w.out.OccupancyMaxPct)
	}
}
