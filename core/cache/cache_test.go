package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func one(int) int { return 1 }

func TestCacheSharesLoadsAndAges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New[string, int](time.Second, 10, one)
		var loads atomic.Int32
		load := func(context.Context) (int, error) { time.Sleep(time.Second / 2); return int(loads.Add(1)), nil }
		for range 50 {
			go func() {
				if v, err := c.Get(t.Context(), "a", load); v != 1 || err != nil {
					t.Errorf("get = %d, %v", v, err)
				}
			}()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if v, _ := c.Get(t.Context(), "a", load); v != 1 {
			t.Error("loaded again while fresh")
		}
		time.Sleep(time.Second)
		if v, _ := c.Get(t.Context(), "a", load); v != 2 {
			t.Error("not loaded again when old")
		}
		c.Forget("a")
		if v, _ := c.Get(t.Context(), "a", load); v != 3 {
			t.Error("not loaded again when forgotten")
		}
	})
}

func TestCacheKeepsNoErrorAndNoLeaversLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New[string, int](0, 10, one)
		bad := errors.New("bad")
		if _, err := c.Get(t.Context(), "a", func(context.Context) (int, error) { return 0, bad }); !errors.Is(err, bad) {
			t.Error(err)
		}
		leaver, leave := context.WithCancel(t.Context())
		wait := func(ctx context.Context) (int, error) {
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-time.After(time.Second):
				return 7, nil
			}
		}
		go c.Get(leaver, "a", wait)
		synctest.Wait()
		done := make(chan int)
		go func() { v, _ := c.Get(t.Context(), "a", wait); done <- v }()
		synctest.Wait()
		leave()
		if v := <-done; v != 7 {
			t.Errorf("the one who stayed got %d", v)
		}
	})
}

func TestCacheStaysInItsRoom(t *testing.T) {
	c := New[int, int](0, 100, func(v int) int { return v })
	load := func(context.Context) (int, error) { return 30, nil }
	for k := range 50 {
		c.Get(t.Context(), k, load)
		c.Get(t.Context(), 0, load) // stays: always used
	}
	if c.used > 100 || len(c.entries) != c.recent.Len() || len(c.entries) != 3 || c.entries[0] == nil {
		t.Errorf("used %d, %d entries", c.used, len(c.entries))
	}
	c.Get(t.Context(), 1000, func(context.Context) (int, error) { return 500, nil })
	if len(c.entries) != 1 || c.used != 500 {
		t.Errorf("a large entry alone: used %d, %d entries", c.used, len(c.entries))
	}
}

func TestAnOutdatedValueIsLoadedAgainOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New[string, int](0, 10, one)
		var loads atomic.Int32
		ask := func(want int) int {
			v, err := c.GetIf(t.Context(), "a", func(v int) bool { return v >= want }, func(context.Context) (int, error) {
				time.Sleep(time.Second)
				loads.Add(1)
				return want, nil
			})
			if err != nil {
				t.Error(err)
			}
			return v
		}
		ask(1)
		for range 50 {
			go func() {
				if v := ask(2); v != 2 {
					t.Errorf("asked for 2 and got %d", v)
				}
			}()
		}
		synctest.Wait()
		go func() { // who wants a newer one than is being made waits, and makes it
			if v := ask(3); v != 3 {
				t.Errorf("asked for 3 and got %d", v)
			}
		}()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if n := loads.Load(); n != 3 {
			t.Errorf("%d loads for three versions", n)
		}
		if v := ask(1); v != 3 || c.Used() != 1 {
			t.Errorf("an older reader got %d, %d entries", v, c.Used())
		}
		c.Clear()
		if v := ask(1); v != 1 || c.Used() != 1 {
			t.Errorf("after Clear %d, %d entries", v, c.Used())
		}
	})
}
