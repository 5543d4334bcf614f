package db_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/db"
	"plateia/db/dbtest"
)

func TestAccountsAreOpenedOnce(t *testing.T) {
	s := db.NewAccounts(dbtest.New(t))
	var mu sync.Mutex
	found := map[id.ID]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			a, err := s.OpenAccount(t.Context(), "ana@example.com", id.New())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			found[a.ID] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(found) != 1 {
		t.Fatalf("%d accounts for one address", len(found))
	}
	for which := range found {
		if a, err := s.Account(t.Context(), which); err != nil || a.Email != "ana@example.com" || a.CreatedAt.IsZero() {
			t.Errorf("%+v %v", a, err)
		}
	}
	if _, err := s.Account(t.Context(), id.New()); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
}

func TestCodesAreKeptAsDecided(t *testing.T) {
	s := db.NewAccounts(dbtest.New(t))
	update := func(decide func(time.Time, *account.Code) (account.Code, bool)) {
		t.Helper()
		if err := s.UpdateCode(t.Context(), "ana@example.com", decide); err != nil {
			t.Fatal(err)
		}
	}
	var first account.Code
	update(func(now time.Time, prev *account.Code) (account.Code, bool) {
		if prev != nil {
			t.Errorf("%+v", prev)
		}
		first = account.Code{Email: "ana@example.com", Hash: []byte{1}, ExpiresAt: now.Add(time.Minute), Sent: 1, SentAt: now}
		return first, true
	})
	update(func(_ time.Time, prev *account.Code) (account.Code, bool) {
		if prev == nil || prev.Hash[0] != 1 || !prev.SentAt.Equal(first.SentAt) || !prev.ExpiresAt.Equal(first.ExpiresAt) {
			t.Errorf("%+v", prev)
		}
		return account.Code{}, false
	})
	// Twenty guesses at once: each is counted.
	var wg sync.WaitGroup
	var failed atomic.Int32
	for range 20 {
		wg.Go(func() {
			err := s.UpdateCode(t.Context(), "ana@example.com", func(_ time.Time, prev *account.Code) (account.Code, bool) {
				next := *prev
				next.Tries++
				return next, true
			})
			if fault.CodeOf(err) == fault.Busy {
				failed.Add(1) // lost the race too often; the caller was told
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	update(func(_ time.Time, prev *account.Code) (account.Code, bool) {
		if int32(prev.Tries)+failed.Load() != 20 {
			t.Errorf("%d tries counted, %d refused", prev.Tries, failed.Load())
		}
		used := *prev
		used.Hash = nil
		return used, true
	})
	update(func(_ time.Time, prev *account.Code) (account.Code, bool) {
		if len(prev.Hash) != 0 {
			t.Errorf("%+v", prev)
		}
		return account.Code{}, false
	})
	if err := s.ForgetCodes(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The whole of sign-in on a real database.
func TestSignInOnTheDatabase(t *testing.T) {
	var sent account.Mail
	in := account.NewSignIns(db.NewAccounts(dbtest.New(t)), mailerFunc(func(m account.Mail) error { sent = m; return nil }), []byte("secret"))
	if err := in.SendCode(t.Context(), "Ana@Example.com", ""); err != nil {
		t.Fatal(err)
	}
	if err := in.SendCode(t.Context(), "ana@example.com", ""); fault.CodeOf(err) != fault.RateLimited {
		t.Errorf("%v", err)
	}
	var wg sync.WaitGroup
	var in1 atomic.Int32
	for range 6 { // one code, six browsers: one gets in
		wg.Go(func() {
			if _, err := in.SignIn(t.Context(), "ana@example.com", sent.Code); err == nil {
				in1.Add(1)
			} else if code := fault.CodeOf(err); code != fault.Unauthenticated && code != fault.Busy {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if in1.Load() != 1 {
		t.Errorf("a code worked %d times", in1.Load())
	}
}

type mailerFunc func(account.Mail) error

func (f mailerFunc) SendCode(_ context.Context, m account.Mail) error { return f(m) }
