package dbtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"plateia/db"
)

// Seed is what several tests of a package begin with. It is made once, by the first test that asks, and every test gets a database of
// its own with a copy of it. Where databases cannot be copied (CockroachDB, PLATEIA_TEST_DSN) it is made for each.
type Seed struct {
	Fill func(context.Context, *db.DB) error // a migrated database

	once sync.Once
	name string
	err  error
}

// URL makes a database that holds the seed and returns its URL; it is dropped when the test ends.
func (s *Seed) URL(t testing.TB) string {
	t.Helper()
	r := running(t)
	if r.template == "" {
		url := URL(t)
		if err := s.fill(t.Context(), url); err != nil {
			t.Fatalf("dbtest: seed: %v", err)
		}
		return url
	}
	s.once.Do(func() { s.name, s.err = s.make(r) })
	if s.err != nil {
		t.Fatalf("dbtest: seed: %v", s.err)
	}
	return r.copy(t, s.name)
}

// make fills a database that nobody is connected to afterwards. It goes with the server.
func (s *Seed) make(r server) (name string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	name = databaseName()
	if err := r.admin(ctx, r.copyStatement(name, r.template)); err != nil {
		return "", err
	}
	return name, s.fill(ctx, r.url(name))
}

func (s *Seed) fill(ctx context.Context, url string) error {
	d, err := db.Open(ctx, url, db.Options{MaxConns: 4})
	if err != nil {
		return err
	}
	defer d.Close()
	return s.Fill(ctx, d)
}

// copy makes a database from another one for the time of a test.
func (r server) copy(t testing.TB, from string) string {
	t.Helper()
	name := databaseName()
	if err := r.admin(t.Context(), r.copyStatement(name, from)); err != nil {
		t.Fatalf("dbtest: %v", err)
	}
	t.Cleanup(func() { drop(t, r, name) })
	return r.url(name)
}

// copyStatement copies files, which without fsync is twice as fast as the usual way.
func (r server) copyStatement(name, from string) string {
	return fmt.Sprintf("create database %s template %s strategy file_copy", name, from)
}
