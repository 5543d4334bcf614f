package db

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"plateia/core/fault"
)

// SQLSTATEs the product acts on. Errors are told apart by these and by
// constraint names, never by their text.
const (
	serialization   = "40001"
	deadlock        = "40P01"
	uniqueViolation = "23505"
	foreignKey      = "23503"
	checkViolation  = "23514"
	lockTimeout     = "55P03"
	queryCanceled   = "57014" // statement_timeout, or the caller left
)

// sqlState is err's SQLSTATE, "" when the database did not answer with one.
func sqlState(err error) string {
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return e.SQLState()
	}
	return ""
}

// violates reports whether err is a unique violation of one of the constraints
// (or unique indexes) named; of any when none is named.
func violates(err error, constraints ...string) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != uniqueViolation {
		return false
	}
	return len(constraints) == 0 || slices.Contains(constraints, e.ConstraintName)
}

// wantsRetry reports whether the database asked for the transaction to be run again.
func wantsRetry(err error) bool {
	state := sqlState(err)
	return state == serialization || state == deadlock
}

// isDown reports whether the database could not be reached or is going away.
func isDown(err error) bool {
	var connect *pgconn.ConnectError
	state := sqlState(err)
	switch {
	case state == "57P03", state == "57P01", state == "57P02", state == "53300", state == "25P03":
		return true // starting, stopping, crashed, full; we were too slow between two statements
	case state != "":
		return false
	}
	return errors.As(err, &connect) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) || isBroken(err)
}

// isBroken reports whether the connection ended under a statement.
func isBroken(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed)
}

// unknown is a COMMIT whose outcome the database did not tell.
func unknown(cause error) error {
	return fault.Wrap(cause, fault.OutcomeUnknown, "the database did not confirm; repeat the request with the same key").
		After(time.Second)
}

// notFound turns "no rows" into a fault with a text for people; other errors are translated.
func notFound(err error, what string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "no such %s", what)
	}
	return translate(err)
}

// translate gives a bare database error its fault. nil, faults and the caller's own cancellation pass through.
func translate(err error) error {
	var known *fault.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled):
		return err
	case wantsRetry(err):
		return fault.Wrap(err, fault.Busy, "too many people want the same thing at once; try again").After(time.Second)
	case sqlState(err) == lockTimeout, sqlState(err) == queryCanceled, errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Busy, "the database is slow right now; try again").After(time.Second)
	case isDown(err):
		return fault.Wrap(err, fault.Busy, "the database is not reachable right now; try again").After(2 * time.Second)
	}
	return fault.Wrap(err, fault.Internal, "something went wrong on our side")
}
