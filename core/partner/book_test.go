package partner_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/partner"
)

// A list that cannot be read gets older and stays in force; one that has not changed is as young as a new one.
func TestTheBookKnowsItsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fails error
		version := "1"
		b := partner.NewBook(func(_ context.Context, have string) (string, []partner.Grant, bool, error) {
			time.Sleep(100 * time.Millisecond) // what the answer says was so when it was asked
			return version, []partner.Grant{{Origins: []partner.Origin{"https://venue.example"}, AllEvents: true}}, have == version, fails
		}, nil)
		refresh := func(want time.Duration) {
			t.Helper()
			if err := b.Refresh(t.Context()); !errors.Is(err, fails) {
				t.Fatal(err)
			}
			if age := b.Age(); age != want {
				t.Errorf("the list is %v old, want %v", age, want)
			}
		}
		fails = errors.New("away")
		time.Sleep(time.Minute)
		refresh(time.Minute + 100*time.Millisecond) // never read
		fails = nil
		refresh(100 * time.Millisecond)
		time.Sleep(time.Hour)
		refresh(100 * time.Millisecond) // unchanged
		time.Sleep(time.Hour)
		fails = errors.New("away")
		refresh(time.Hour + 200*time.Millisecond)
		if !b.Knows("https://venue.example") {
			t.Error("the last list is no longer in force")
		}
	})
}
