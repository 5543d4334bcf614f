package account

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
)

func TestNormalizeEmail(t *testing.T) {
	for in, want := range map[string]string{
		" Ana.Souza+show@Example.COM ": "ana.souza+show@example.com", //nolint:gocritic // the spaces are the case
		"x@a.br":                       "x@a.br",
		"joão@exemplo.com.br":          "joão@exemplo.com.br",
		"山田@例え.jp":                     "山田@例え.jp",
		"o'neil@pub.ie":                "o'neil@pub.ie",
	} {
		if got, err := NormalizeEmail(in); err != nil || got != want {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
	for _, in := range []string{
		"", "ana", "@", "ana@", "@example.com", "ana@localhost", "ana@example..com", "ana@-x.com", "a b@example.com",
		"ana@example.com, bob@example.com", "Ana <ana@example.com>", "a@b@example.com", "ana\r\nBcc: x@example.com",
		"ana@exa\u200bmple.com", "ana@example.com\x00", "\"a b\"@example.com", ".ana@example.com", "ana..b@example.com", "ana.@example.com",
		strings.Repeat("a", 65) + "@example.com", "a@" + strings.Repeat("a", 250) + ".com", "ana@[127.0.0.1]", "ana@example.com.", "a\xff@example.com",
	} {
		if got, err := NormalizeEmail(in); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q accepted as %q (%v)", in, got, err)
		}
	}
}

func FuzzNormalizeEmail(f *testing.F) {
	f.Add("ana@example.com")
	f.Add("İ@example.com")
	f.Fuzz(func(t *testing.T, s string) {
		once, err := NormalizeEmail(s)
		if err != nil {
			return
		}
		if twice, err := NormalizeEmail(once); err != nil || twice != once {
			t.Fatalf("%q → %q → %q %v", s, once, twice, err)
		}
		if strings.ContainsAny(once, "\r\n\x00 ,<>") {
			t.Fatalf("%q has a dangerous character", once)
		}
	})
}

// shelf is a Store with behaviour: what the database does, in memory, on a hand-turned clock.
type shelf struct {
	mu       sync.Mutex
	now      time.Time
	codes    map[string]Code
	accounts map[string]Account
}

func newShelf() *shelf {
	return &shelf{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), codes: map[string]Code{}, accounts: map[string]Account{}}
}

func (s *shelf) UpdateCode(_ context.Context, email string, decide func(time.Time, *Code) (Code, bool)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var prev *Code
	if c, ok := s.codes[email]; ok {
		prev = &c
	}
	if next, write := decide(s.now, prev); write {
		s.codes[email] = next
	}
	return nil
}

func (s *shelf) OpenAccount(_ context.Context, email string, fresh id.ID) (Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.accounts[email]; !ok {
		s.accounts[email] = Account{ID: fresh, Email: email, CreatedAt: s.now}
	}
	return s.accounts[email], nil
}

func (s *shelf) Account(context.Context, id.ID) (Account, error) { return Account{}, nil }

// box keeps the last mail.
type box struct {
	last Mail
	err  error
}

func (b *box) SendCode(_ context.Context, m Mail) error {
	b.last = m
	return b.err
}

func TestSignIn(t *testing.T) {
	ctx := t.Context()
	s, b := newShelf(), &box{}
	in := NewSignIns(s, b, []byte("secret"))
	if err := in.SendCode(ctx, "Ana@Example.com", "pt-PT"); err != nil {
		t.Fatal(err)
	}
	if b.last.To != "ana@example.com" || b.last.Locale != "pt-BR" || !validDigits(b.last.Code) {
		t.Fatalf("%+v", b.last)
	}
	if strings.Contains(string(s.codes["ana@example.com"].Hash), b.last.Code) {
		t.Error("the code itself is kept")
	}
	who, err := in.SignIn(ctx, " ANA@example.com", " "+b.last.Code)
	if err != nil || who.Email != "ana@example.com" {
		t.Fatalf("%+v %v", who, err)
	}
	if _, err := in.SignIn(ctx, "ana@example.com", b.last.Code); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("a code works once: %v", err)
	}
	s.now = s.now.Add(time.Minute)
	if err := in.SendCode(ctx, "ana@example.com", ""); err != nil {
		t.Fatal(err)
	}
	again, err := in.SignIn(ctx, "ana@example.com", b.last.Code)
	if err != nil || again.ID != who.ID {
		t.Errorf("another account: %+v %v", again, err)
	}
}

func TestWrongCodes(t *testing.T) {
	ctx := t.Context()
	s, b := newShelf(), &box{}
	in := NewSignIns(s, b, []byte("secret"))
	_, unknown := in.SignIn(ctx, "nobody@example.com", "000000")
	if err := in.SendCode(ctx, "ana@example.com", ""); err != nil {
		t.Fatal(err)
	}
	right := b.last.Code
	wrong := "000000"
	if right == wrong {
		wrong = "000001"
	}
	for range CodeTries {
		_, err := in.SignIn(ctx, "ana@example.com", wrong)
		if fault.CodeOf(err) != fault.Unauthenticated || err.Error() != unknown.Error() {
			t.Fatalf("a wrong code and an unknown address must look alike: %v, %v", err, unknown)
		}
	}
	if _, err := in.SignIn(ctx, "ana@example.com", right); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("the right code after %d wrong ones: %v", CodeTries, err)
	}
	if _, err := in.SignIn(ctx, "bob@example.com", right); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("another address's code: %v", err)
	}
	s.now = s.now.Add(time.Minute)
	if err := in.SendCode(ctx, "ana@example.com", ""); err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(CodeLife)
	if _, err := in.SignIn(ctx, "ana@example.com", b.last.Code); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("an expired code: %v", err)
	}
	for _, malformed := range []string{"", "12345", "1234567", "12345a", "１２３４５６"} {
		if _, err := in.SignIn(ctx, "ana@example.com", malformed); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v", malformed, err)
		}
	}
}

func TestCoolDown(t *testing.T) {
	ctx := t.Context()
	s, b := newShelf(), &box{}
	in := NewSignIns(s, b, []byte("secret"))
	for i, wait := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 15 * time.Minute, 15 * time.Minute} {
		if err := in.SendCode(ctx, "ana@example.com", ""); err != nil {
			t.Fatalf("code %d: %v", i+1, err)
		}
		live := b.last.Code
		s.now = s.now.Add(wait - time.Second)
		err := in.SendCode(ctx, "ana@example.com", "")
		if f := fault.From(err); f.Code != fault.RateLimited || f.RetryAfter != time.Second || f.Details["resetAt"] == nil {
			t.Fatalf("code %d again after %v: %v", i+1, wait-time.Second, err)
		}
		if b.last.Code != live {
			t.Error("a refused request replaced the code")
		}
		s.now = s.now.Add(time.Second)
	}
	s.now = s.now.Add(coolDownReset)
	_ = in.SendCode(ctx, "ana@example.com", "")
	if s.codes["ana@example.com"].Sent != 1 {
		t.Errorf("after a quiet hour: %+v", s.codes["ana@example.com"])
	}
}

func TestMailThatIsNotAccepted(t *testing.T) {
	in := NewSignIns(newShelf(), &box{err: errors.New("450 busy")}, []byte("secret"))
	err := in.SendCode(t.Context(), "ana@example.com", "")
	if f := fault.From(err); f.Code != fault.Busy || !f.Retryable || strings.Contains(f.Text, "450") {
		t.Errorf("%v", err)
	}
}

func TestDigitsAreSixAndVaried(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		d := newDigits()
		if !validDigits(d) {
			t.Fatal(d)
		}
		seen[d] = true
	}
	if len(seen) < 990 {
		t.Errorf("%d different codes of 1000", len(seen))
	}
}
