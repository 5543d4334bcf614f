package db

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed migrations
var migrationFiles embed.FS

// Migration is one file of migrations/: shared N runs before the dialect's own N.
type Migration struct {
	Set       string // shared, postgres, cockroach, cockroach_multiregion
	Number    int
	Name      string
	Checksum  string    // SHA-256 of the file, hex
	AppliedAt time.Time // zero: not yet
	sql       string
}

// Optional reports whether it is no fault when the migration has not run: only UpRegions runs it.
func (m Migration) Optional() bool { return m.Set == multiregion }

// String is how people see it: "shared/0001_first".
func (m Migration) String() string { return fmt.Sprintf("%s/%04d_%s", m.Set, m.Number, m.Name) }

// migrations lists a dialect's migrations in the order they run, the optional ones last.
func migrations(files fs.FS, dialect Dialect) ([]Migration, error) {
	shared, err := readSet(files, "shared")
	if err != nil {
		return nil, err
	}
	own, err := readSet(files, string(dialect))
	if err != nil {
		return nil, err
	}
	if err := wantNoGaps(shared); err != nil {
		return nil, err
	}
	for i, m := range own {
		if m.Number > len(shared) || i > 0 && own[i-1].Number == m.Number {
			return nil, fmt.Errorf("db: migration %s: a dialect's file takes the number of a shared one, once", m)
		}
	}
	all := slices.Concat(shared, own)
	slices.SortStableFunc(all, func(a, b Migration) int { return cmp.Compare(a.Number, b.Number) })
	if dialect != Cockroach {
		return all, nil
	}
	optional, err := readSet(files, multiregion)
	if err != nil {
		return nil, err
	}
	return slices.Concat(all, optional), wantNoGaps(optional)
}

func wantNoGaps(set []Migration) error {
	for i, m := range set {
		if m.Number != i+1 {
			return fmt.Errorf("db: migration %s: want number %04d, numbers have no gaps or repeats", m, i+1)
		}
	}
	return nil
}

// readSet reads one folder; a folder that does not exist has no migrations.
func readSet(files fs.FS, set string) ([]Migration, error) {
	names, err := fs.Glob(files, path.Join("migrations", set, "*.sql"))
	if err != nil {
		return nil, err
	}
	var out []Migration
	for _, file := range names {
		number, name, ok := strings.Cut(strings.TrimSuffix(path.Base(file), ".sql"), "_")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || len(number) != 4 {
			return nil, fmt.Errorf("db: migration file %s: want NNNN_name.sql", file)
		}
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		out = append(out, Migration{Set: set, Number: n, Name: name, Checksum: hex.EncodeToString(sum[:]), sql: string(text)})
	}
	return out, nil
}

// Up brings the schema to this program's version and returns what it applied.
// Several processes may call it at once: one works, the others wait for its lease. A run
// that was killed is picked up where it was: every statement is idempotent,
// runs alone outside a transaction, and a file is recorded when all of it ran.
func (d *DB) Up(ctx context.Context) ([]Migration, error) {
	applied, err := d.up(ctx, func(m Migration) []string {
		if m.Optional() || !m.AppliedAt.IsZero() {
			return nil
		}
		return statements(m.sql)
	})
	if err == nil {
		_, err = d.FileEvents(ctx)
	}
	return applied, err
}

// up runs the statements that work gives for each migration; none: the migration is left as it is.
func (d *DB) up(ctx context.Context, work func(Migration) []string) ([]Migration, error) {
	if err := d.createLedger(ctx); err != nil {
		return nil, err
	}
	release, err := d.migrationLease(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	all, err := d.Status(ctx)
	if err != nil {
		return nil, err
	}
	var applied []Migration
	for _, m := range all {
		todo := work(m)
		if len(todo) == 0 {
			continue
		}
		if err := d.apply(ctx, m, todo); err != nil {
			return applied, err
		}
		applied = append(applied, m)
	}
	return applied, nil
}

// apply runs on a connection of its own without a time-out: what changes a large table takes its time.
func (d *DB) apply(ctx context.Context, m Migration, todo []string) error {
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("db: migration %s: %w", m, translate(err))
	}
	defer conn.Release()
	defer conn.Conn().Close(context.WithoutCancel(ctx)) // the pool must not hand it to anyone else
	if _, err := conn.Exec(ctx, "set statement_timeout = 0"); err != nil {
		return fmt.Errorf("db: migration %s: %w", m, translate(err))
	}
	for i, statement := range todo {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("db: migration %s, statement %d: %w", m, i+1, err)
		}
	}
	_, err = conn.Exec(ctx, `insert into schema_migration (set_name, number, name, checksum, applied_at) values ($1, $2, $3, $4, now())
		on conflict (set_name, number) do update set applied_at = excluded.applied_at`,
		m.Set, m.Number, m.Name, m.Checksum)
	if err != nil {
		return fmt.Errorf("db: record migration %s: %w", m, err)
	}
	d.log.Info("migration applied", "migration", m.String())
	return nil
}

// Status lists this program's migrations with the time each was applied. It is an error
// when the database has one that this program does not know, when one was
// edited after it was applied, or when one is missing in the middle.
func (d *DB) Status(ctx context.Context) ([]Migration, error) {
	all, err := migrations(migrationFiles, d.Dialect)
	if err != nil {
		return nil, err
	}
	ledger, err := d.readLedger(ctx)
	if err != nil {
		return nil, err
	}
	return compare(all, ledger)
}

func compare(all []Migration, ledger map[string]Migration) ([]Migration, error) {
	waiting := map[bool]string{} // the first of the optional ones, and of the others
	for i, m := range all {
		key, pending := m.String(), waiting[m.Optional()]
		applied, ok := ledger[key]
		switch {
		case !ok:
			waiting[m.Optional()] = cmp.Or(pending, key)
			continue
		case applied.Checksum != m.Checksum:
			return nil, fmt.Errorf("db: migration %s was changed after it was applied; write a new one, or start with an empty database", key)
		case pending != "":
			return nil, fmt.Errorf("db: migration %s is applied but %s, which comes before it, is not", key, pending)
		}
		all[i].AppliedAt = applied.AppliedAt
		delete(ledger, key)
	}
	for key := range ledger {
		return nil, fmt.Errorf("db: the database has migration %s, which this program does not know: the program is older than the database", key)
	}
	return all, nil
}
