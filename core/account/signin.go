package account

import (
	"cmp"
	"context"
	"strings"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
)

// Store keeps accounts and codes.
type Store interface {
	// UpdateCode gives decide the code of an address (nil: none) and the
	// database's clock, and keeps what it returns, all in one transaction. decide
	// may run more than once; when it returns false nothing is written.
	UpdateCode(ctx context.Context, email string, decide func(now time.Time, prev *Code) (next Code, write bool)) error
	// OpenAccount returns the account of an address, making it if there is none.
	OpenAccount(ctx context.Context, email string, fresh id.ID) (Account, error)
	Account(ctx context.Context, account id.ID) (Account, error)
}

// Mail is what a sign-in sends. Texts are in the language of Locale.
type Mail struct {
	To     string
	Code   string
	Locale string // BCP 47, "en" when unknown
	Life   time.Duration
}

// Mailer delivers a code. An error means that it was not accepted for delivery.
type Mailer interface {
	SendCode(ctx context.Context, m Mail) error
}

// SignIns is sign-in by one-time code. Whether an address has an account is
// never looked at before its owner has proved it, so nothing can tell.
type SignIns struct {
	store  Store
	mailer Mailer
	secret []byte
}

// NewSignIns returns the service. secret keys the hashes of codes.
func NewSignIns(store Store, mailer Mailer, secret []byte) *SignIns {
	return &SignIns{store: store, mailer: mailer, secret: secret}
}

// SendCode mails a fresh code to an address. Errors: Invalid, RateLimited with
// resetAt, Busy when the mail cannot be handed over.
func (s *SignIns) SendCode(ctx context.Context, email, locale string) error {
	email, err := NormalizeEmail(email)
	if err != nil {
		return err
	}
	digits := newDigits()
	hash := hashCode(s.secret, email, digits)
	var verdict error
	err = s.store.UpdateCode(ctx, email, func(now time.Time, prev *Code) (Code, bool) {
		var next Code
		next, verdict = issue(now, prev, email, hash)
		return next, verdict == nil
	})
	if err != nil || verdict != nil {
		return cmp.Or(err, verdict)
	}
	if err := s.mailer.SendCode(ctx, Mail{To: email, Code: digits, Locale: Language(locale), Life: CodeLife}); err != nil {
		return fault.Wrap(err, fault.Busy, "we could not send the mail; please try again").After(firstCoolDown)
	}
	return nil
}

// SignIn checks a code and opens its address's account. Errors: Invalid,
// Unauthenticated for every kind of wrong code.
func (s *SignIns) SignIn(ctx context.Context, email, digits string) (Account, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return Account{}, err
	}
	digits = strings.TrimSpace(digits)
	if !validDigits(digits) {
		return Account{}, fault.New(fault.Invalid, "a code has six digits").With("field", "code")
	}
	hash := hashCode(s.secret, email, digits)
	var verdict error
	err = s.store.UpdateCode(ctx, email, func(now time.Time, prev *Code) (Code, bool) {
		var next Code
		next, verdict = check(now, prev, hash)
		return next, prev != nil
	})
	if err != nil || verdict != nil {
		return Account{}, cmp.Or(err, verdict)
	}
	return s.store.OpenAccount(ctx, email, id.New())
}

// SignInUnproved opens the account of an address without a code. For
// development and rehearsals; the caller guards the way here.
func (s *SignIns) SignInUnproved(ctx context.Context, email string) (Account, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return Account{}, err
	}
	return s.store.OpenAccount(ctx, email, id.New())
}

// Account returns a person.
func (s *SignIns) Account(ctx context.Context, account id.ID) (Account, error) {
	return s.store.Account(ctx, account)
}

// Language picks the language we have for a BCP 47 tag: "pt-BR" for any
// Portuguese, "en" for everything else.
func Language(locale string) string {
	if lower := strings.ToLower(locale); lower == "pt" || strings.HasPrefix(lower, "pt-") || strings.HasPrefix(lower, "pt_") {
		return "pt-BR"
	}
	return "en"
}
