package db

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// oldestCockroach is the oldest CockroachDB that is promised to work.
var oldestCockroach = release{24, 1}

// release is a CockroachDB release, such as v24.1.
type release struct{ major, minor int }

func (r release) String() string { return fmt.Sprintf("v%d.%d", r.major, r.minor) }

func (r release) before(other release) bool {
	return r.major < other.major || r.major == other.major && r.minor < other.minor
}

var releaseInVersion = regexp.MustCompile(`\bv(\d{1,4})\.(\d{1,4})\b`)

// parseRelease reads what a session reports as crdb_version, such as "CockroachDB CCL v24.1.2 (x86_64-pc-linux-gnu, …)".
func parseRelease(version string) (release, bool) {
	found := releaseInVersion.FindStringSubmatch(version)
	if found == nil {
		return release{}, false
	}
	major, _ := strconv.Atoi(found[1]) // digits, at most four
	minor, _ := strconv.Atoi(found[2])
	return release{major, minor}, true
}

// tooOld says what is wrong with a CockroachDB of this version; nil when it is promised to work.
func tooOld(version string) error {
	r, ok := parseRelease(version)
	switch {
	case !ok:
		return fmt.Errorf("db: %q is no version of CockroachDB that is known; %s or newer is needed", version, oldestCockroach)
	case r.before(oldestCockroach):
		return fmt.Errorf("db: CockroachDB %s is older than %s, the oldest that is promised to work", r, oldestCockroach)
	}
	return nil
}

// meet learns what a CockroachDB can do: its version, and the regions of the database, the primary one first.
func (d *DB) meet(ctx context.Context, conn *pgx.Conn) error {
	d.version = conn.PgConn().ParameterStatus("crdb_version")
	if err := tooOld(d.version); err != nil {
		d.log.Warn("this database is not promised to work", "error", err)
		return nil // nor are its regions asked for: v20.2 has none
	}
	regions, err := readRegions(ctx, conn)
	d.regions = regions
	return err
}

// expect compares the database's regions with those that it was opened for.
func (d *DB) expect(regions Regions) error {
	if len(regions) == 0 {
		return nil
	}
	if d.Dialect != Cockroach {
		return ErrNoRegions
	}
	lacks, err := regions.missing(d.regions)
	if err == nil && lacks {
		err = fmt.Errorf("db: the database has the regions %q, not %q: plateia migrate up --regions", d.regions, []string(regions))
	}
	d.follow = err == nil
	return err
}

// Regions of the database, the primary one first; none unless it is a multi-region CockroachDB.
func (d *DB) Regions() Regions { return slices.Clone(d.regions) }

// stale is what a read adds behind its FROM when it may be some seconds old: when the
// database was opened with its regions the nearest replica then answers, 4.2 s or more behind; everywhere else it is
// nothing. The statement must be one SELECT of its own, outside a transaction, which makes it a read-only one.
func (d *DB) stale() string {
	if !d.follow {
		return ""
	}
	return " as of system time follower_read_timestamp() "
}

// readRegions is empty for a database without regions.
func readRegions(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, `select region from [show regions from database] order by "primary" desc, region`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
