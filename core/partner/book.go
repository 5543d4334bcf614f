package partner

import (
	"context"
	"sync/atomic"
	"time"

	"plateia/core/id"
)

// Source reads the list where it is kept: the version of now and what partners may do, or unchanged when the version is still
// the caller's.
type Source func(ctx context.Context, have string) (version string, grants []Grant, unchanged bool, err error)

// Every is how often a process looks for another version. A change is in force everywhere within twice that and what reading takes.
const Every = 3 * time.Second

// Book is a process's own copy of the list, so that nobody's request waits for a database and no flood of addresses
// reaches one. Refresh keeps it up to date; while the source fails the last known list stays in force. Safe for concurrent use.
type Book struct {
	source Source
	always []Origin
	born   time.Time
	now    atomic.Pointer[List]
	read   atomic.Pointer[time.Time] // when the source last answered
}

// NewBook returns a book that knows only always, until its first Refresh.
func NewBook(source Source, always []Origin) *Book {
	b := &Book{source: source, always: always, born: time.Now()}
	b.now.Store(NewList("", nil, always))
	return b
}

// Refresh reads the list if there is a newer one. An error leaves the book as it was.
func (b *Book) Refresh(ctx context.Context) error {
	asked := time.Now()
	version, grants, unchanged, err := b.source(ctx, b.List().Version())
	if err != nil {
		return err
	}
	if !unchanged {
		b.now.Store(NewList(version, grants, b.always))
	}
	b.read.Store(&asked)
	return nil
}

// Age is how long ago the list was right at the latest: since the question whose answer it is, or, while there was none, since the
// book was made.
func (b *Book) Age() time.Duration {
	if read := b.read.Load(); read != nil {
		return time.Since(*read)
	}
	return time.Since(b.born)
}

// List is the list of now.
func (b *Book) List() *List { return b.now.Load() }

// Origins that may show an event now; see List.
func (b *Book) Origins(event id.ID) []Origin { return b.List().Origins(event) }

// Allows reports whether a page of an origin may show an event now; see List.
func (b *Book) Allows(event id.ID, origin string) bool { return b.List().Allows(event, origin) }

// Knows reports whether an origin may show any event now; see List.
func (b *Book) Knows(origin string) bool { return b.List().Knows(origin) }
