package checkout_test

import (
	"sync"
	"testing"
	"time"
)

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); {
		if time.Now().After(deadline) {
			t.Fatalf("still not true: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// stays checks that something keeps being true for a while in which it could have changed.
func stays(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(400 * time.Millisecond); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if !is() {
			t.Fatalf("no longer true: %s", what)
		}
	}
}

// together runs n calls at the same time.
func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}
