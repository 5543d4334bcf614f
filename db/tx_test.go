package db

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"plateia/core/fault"
)

func pgError(code string) error { return &pgconn.PgError{Code: code} }

func TestRetryStartsOverOnlyWhenAsked(t *testing.T) {
	for name, c := range map[string]struct {
		fails []error // then success
		tries int
		code  fault.Code
	}{
		"first time":    {nil, 1, ""},
		"serialization": {[]error{pgError("40001"), pgError("40001")}, 3, ""},
		"deadlock":      {[]error{pgError("40P01")}, 2, ""},
		"wrapped":       {[]error{fault.Wrap(pgError("40001"), fault.Internal, "x")}, 2, ""},
		"unique":        {[]error{pgError("23505")}, 1, fault.Internal},
		"unknown":       {[]error{unknown(io.EOF)}, 1, fault.OutcomeUnknown},
		"own refusal":   {[]error{fault.New(fault.SeatTaken, "x")}, 1, fault.SeatTaken},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				err := retry(t.Context(), func(context.Context) error {
					if tries++; tries <= len(c.fails) {
						return c.fails[tries-1]
					}
					return nil
				})
				if tries != c.tries || fault.CodeOf(err) != c.code {
					t.Errorf("%d tries, %v; want %d, %q", tries, err, c.tries, c.code)
				}
			})
		})
	}
}

func TestRetryGivesUpWithBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries, began := 0, time.Now()
		err := retry(t.Context(), func(context.Context) error { tries++; return pgError("40P01") })
		if tries != maxRetries+1 || fault.CodeOf(err) != fault.Busy {
			t.Errorf("%d tries, %v", tries, err)
		}
		if spent := time.Since(began); spent > maxRetries*(longBackoff+time.Millisecond) {
			t.Errorf("paused %v in all", spent)
		}
	})
}

func TestRetryEndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		err := retry(ctx, func(context.Context) error { cancel(); return pgError("40001") })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("retry = %v", err)
		}
	})
}

func TestAmbiguousIsWhateverMayHaveCommitted(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"rolled back by the server": {pgx.ErrTxCommitRollback, false},
		"asked to retry":            {pgError("40001"), false},
		"unique violation":          {pgError("23505"), false},
		"completion unknown":        {pgError("40003"), true},
		"server stopped":            {pgError("57P01"), true},
		"server crashed":            {pgError("57P02"), true},
		"internal":                  {pgError("XX000"), true},
		"connection closed":         {io.ErrUnexpectedEOF, true},
		"time-out":                  {context.DeadlineExceeded, true},
	} {
		if got := ambiguous(c.err); got != c.want {
			t.Errorf("%s: ambiguous = %v, want %v", name, got, c.want)
		}
	}
}

func TestTranslate(t *testing.T) {
	for code, want := range map[string]fault.Code{
		"40001": fault.Busy, "40P01": fault.Busy, "55P03": fault.Busy, "57014": fault.Busy,
		"57P01": fault.Busy, "25P03": fault.Busy, "57P03": fault.Busy, "53300": fault.Busy, "23505": fault.Internal, "42601": fault.Internal,
	} {
		err := translate(pgError(code))
		if fault.CodeOf(err) != want || sqlState(err) != code {
			t.Errorf("%s becomes %v; want %s with its cause", code, err, want)
		}
	}
	if translate(nil) != nil {
		t.Error("nil is not an error")
	}
	if err := translate(io.ErrUnexpectedEOF); fault.CodeOf(err) != fault.Busy {
		t.Errorf("a broken connection becomes %v", err)
	}
}
