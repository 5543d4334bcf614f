package inventory

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/id"
	"plateia/core/notice"
)

// Owners hear of what became of their holds once it is committed; of what was refused nobody hears.
func TestOwnersAreTold(t *testing.T) {
	var mu sync.Mutex
	var heard []notice.News
	opts := Options{Tell: func(_ id.ID, news []notice.News) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, news...)
	}}
	engineOn(t, 20, opts, func(t *testing.T, m *memStore, inv *Inventory) {
		mine, theirs := placeOf(id.New(), 1, 2), placeOf(id.New(), 5)
		for _, c := range []Command{mine, theirs, placeOf(id.New(), 1), Release{Account: mine.Account, Hold: mine.Hold}} {
			_, _ = inv.Do(t.Context(), m.event.ID, c)
			synctest.Wait() // they are told after the answer
		}
		m.mu.Lock()
		m.now = m.now.Add(time.Hour)
		m.mu.Unlock()
		if err := inv.SweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		type line struct {
			account, hold id.ID
			state         string
		}
		var got []line
		for _, n := range heard {
			if n.About != notice.Hold || n.Version == 0 || n.ExpiresAt.IsZero() {
				t.Errorf("told %+v", n)
			}
			got = append(got, line{n.Account, n.ID, n.State})
		}
		want := []line{
			{mine.Account, mine.Hold, "ACTIVE"}, {theirs.Account, theirs.Hold, "ACTIVE"},
			{mine.Account, mine.Hold, "RELEASED"}, {theirs.Account, theirs.Hold, "EXPIRED"},
		}
		if !slices.Equal(got, want) {
			t.Errorf("told\n%v, want\n%v", got, want)
		}
	})
}
