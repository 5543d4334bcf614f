package event

import (
	"slices"
	"testing"
	"time"
)

func TestWordsAreFew(t *testing.T) {
	if got := Words("  Rock   in-RIO "); !slices.Equal(got, []string{"rock", "in", "rio"}) {
		t.Errorf("Words = %q", got)
	}
	if got := Words("a b c d e f g h"); len(got) != MaxWords {
		t.Errorf("%d words", len(got))
	}
}

func TestPatternsFindWhatTheyShould(t *testing.T) {
	e := Event{Title: "São  João – U2!", Venue: Venue{Name: "東京ドーム", City: "Tōkyō"}, Genre: "J-Pop"}
	if want := " sao joao u2 z6771z4eacz30c8z30fcz30e0 tokyo j pop"; e.SearchText() != want {
		t.Errorf("SearchText = %q", e.SearchText())
	}
	for text, want := range map[string][]string{
		"SÃO": {"%sao%"}, "u2": {"% u2%"}, "o": {"% o%"}, "京ド": {"%z4eacz30c8%"}, "100%_x": {"%100%", "% x%"}, "!": {},
	} {
		if got := Patterns(text); !slices.Equal(got, want) {
			t.Errorf("Patterns(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestAvailability(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		state State
		opens time.Duration
		free  int
		want  Availability
	}{
		{OnSale, -time.Hour, 100, Available},
		{OnSale, -time.Hour, 10, Available},
		{OnSale, -time.Hour, 9, Limited},
		{OnSale, -time.Hour, 0, SoldOut},
		{OnSale, time.Hour, 100, OnSaleSoon},
		{Scheduled, -time.Hour, 100, OnSaleSoon},
		{Paused, -time.Hour, 50, Available},
		{Closed, -time.Hour, 50, SoldOut},
		{Cancelled, time.Hour, 50, CalledOff},
	} {
		e := Event{State: c.state, OnSaleAt: now.Add(c.opens), Capacity: 100, Free: c.free}
		if got := e.Availability(now); got != c.want {
			t.Errorf("%s, opens in %v, %d free: %s, want %s", c.state, c.opens, c.free, got, c.want)
		}
	}
}

func TestPriceRange(t *testing.T) {
	if low, high, ok := (Event{Prices: []int64{300, 100, 200}}).PriceRange(); low != 100 || high != 300 || !ok {
		t.Error(low, high, ok)
	}
	if _, _, ok := (Event{}).PriceRange(); ok {
		t.Error("no prices have a range")
	}
}
