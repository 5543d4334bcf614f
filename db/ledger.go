package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
)

// The ledger of migrations and its lease are made here and not by a migration:
// they must exist before the first one. A lease row is used because CockroachDB's
// advisory locks do nothing.
var ledgerTables = []string{
	`create table if not exists schema_migration (
		set_name   text        not null,
		number     int8        not null,
		name       text        not null,
		checksum   text        not null,
		applied_at timestamptz not null,
		primary key (set_name, number)
	)`,
	`create table if not exists schema_lease (
		job        text        not null primary key,
		holder     uuid        not null,
		expires_at timestamptz not null
	)`,
}

const (
	migrationLeaseLife = 30 * time.Second
	migrationPatience  = 2 * time.Minute // how long Up waits for another process
)

// createdMeanwhile tells the three ways in which "if not exists" loses a race in
// PostgreSQL: the name, the row type or the catalogue's index was there first.
func createdMeanwhile(err error) bool {
	state := sqlState(err)
	return violates(err) || state == "42P07" || state == "42710"
}

// createLedger tolerates a neighbour that creates the same table.
func (d *DB) createLedger(ctx context.Context) error {
	for _, statement := range ledgerTables {
		var err error
		for range 5 {
			if _, err = d.pool.Exec(ctx, statement); !createdMeanwhile(err) {
				break
			}
		}
		if err != nil {
			return fmt.Errorf("db: create the ledger of migrations: %w", translate(err))
		}
	}
	return nil
}

// readLedger is empty for a database that has never been migrated.
func (d *DB) readLedger(ctx context.Context) (map[string]Migration, error) {
	rows, err := d.pool.Query(ctx, "select set_name, number, name, checksum, applied_at from schema_migration")
	if err == nil {
		var m Migration
		ledger := map[string]Migration{}
		_, err = pgx.ForEachRow(rows, []any{&m.Set, &m.Number, &m.Name, &m.Checksum, &m.AppliedAt}, func() error {
			ledger[m.String()] = m
			return nil
		})
		if err == nil {
			return ledger, nil
		}
	}
	if sqlState(err) == "42P01" { // no such table
		return map[string]Migration{}, nil
	}
	return nil, fmt.Errorf("db: read the ledger of migrations: %w", translate(err))
}

// migrationLease waits for the lease and keeps it until release is called.
func (d *DB) migrationLease(ctx context.Context) (release func(), err error) {
	holder := id.New()
	deadline := time.Now().Add(migrationPatience)
	for {
		ok, err := d.takeMigrationLease(ctx, holder)
		if err != nil {
			return nil, err
		}
		if ok {
			break
		}
		if time.Now().After(deadline) {
			return nil, errors.New("db: another process has been migrating this database for two minutes")
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		for pause(ctx, migrationLeaseLife/3) == nil {
			_, _ = d.takeMigrationLease(ctx, holder)
		}
	}()
	return func() {
		cancel()
		<-renewed
		_, _ = d.pool.Exec(context.WithoutCancel(ctx), "delete from schema_lease where holder = $1", uid(holder))
	}, nil
}

func (d *DB) takeMigrationLease(ctx context.Context, holder id.ID) (bool, error) {
	tag, err := d.pool.Exec(ctx,
		`insert into schema_lease (job, holder, expires_at) values ('migrate', $1, now() + $2)
		on conflict (job) do update set holder = excluded.holder, expires_at = excluded.expires_at
		where schema_lease.holder = excluded.holder or schema_lease.expires_at < now()`,
		uid(holder), migrationLeaseLife)
	if wantsRetry(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("db: take the migration lease: %w", translate(err))
	}
	return tag.RowsAffected() == 1, nil
}
