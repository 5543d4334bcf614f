package db_test

import (
	"testing"

	"plateia/db/dbtest"
)

func TestOpenLearnsTheDialectAndTheClock(t *testing.T) {
	d := dbtest.New(t)
	if d.Dialect != "postgres" && d.Dialect != "cockroach" {
		t.Fatalf("dialect %q", d.Dialect)
	}
	now, err := d.Now(t.Context())
	if err != nil || now.IsZero() {
		t.Fatalf("Now() = %v, %v", now, err)
	}
}
