package db

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// multiregion is the set of migrations that only UpRegions applies.
const multiregion = "cockroach_multiregion"

// maxRegions is more than CockroachDB runs well with.
const maxRegions = 20

// Regions of a multi-region database, as the nodes' --locality names them; the first is the primary one.
type Regions []string

// ErrNoRegions is why a PostgreSQL is not given any.
var ErrNoRegions = errors.New("db: regions need CockroachDB " + oldestCockroach.String() + " or newer: this database is PostgreSQL, which has none")

// regionName is what clouds call their regions; anything else is refused, and what passes is quoted all the same.
var regionName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// ParseRegions reads "eu-west,us-east,sa-east" and names everything that is wrong with it.
func ParseRegions(text string) (Regions, error) {
	var out Regions
	var faults []error
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		switch {
		case !regionName.MatchString(name) || len(name) > 63:
			faults = append(faults, fmt.Errorf("regions: %q is no region such as eu-west-1 (lower case letters, digits and hyphens)", name))
		case slices.Contains(out, name):
			faults = append(faults, fmt.Errorf("regions: %q is there twice", name))
		default:
			out = append(out, name)
		}
	}
	if len(out) > maxRegions {
		faults = append(faults, fmt.Errorf("regions: %d are more than %d", len(out), maxRegions))
	}
	return out, errors.Join(faults...)
}

// statements fills a migration's text in and cuts it.
func (r Regions) statements(database, sql string) []string {
	goal := "zone"
	if len(r) >= 3 {
		goal = "region"
	}
	quote := func(name string) string { return pgx.Identifier{name}.Sanitize() }
	fill := strings.NewReplacer("{database}", quote(database), "{primary}", quote(r[0]), "{goal}", goal)
	var out []string
	for _, statement := range statements(sql) {
		if !strings.Contains(statement, "{region}") {
			out = append(out, fill.Replace(statement))
			continue
		}
		for _, name := range r[1:] {
			out = append(out, strings.ReplaceAll(fill.Replace(statement), "{region}", quote(name)))
		}
	}
	return out
}

// missing compares with the regions a database has, its primary one first.
func (r Regions) missing(have []string) (some bool, err error) {
	for _, name := range have {
		if !slices.Contains(r, name) {
			return false, fmt.Errorf("db: the database has region %q, which the list lacks; drop it by hand first (alter database … drop region)", name)
		}
	}
	return len(have) < len(r) || have[0] != r[0], nil // none at all is fewer, too
}

// UpRegions is Up, and then makes the database a multi-region one: rows of an event
// live in its home region, charts everywhere, and from three regions on the loss of one is survived. Repeating it
// is harmless, with more regions it adds them. Pools opened before know nothing of it. ErrNoRegions on PostgreSQL.
func (d *DB) UpRegions(ctx context.Context, regions Regions) ([]Migration, error) {
	if d.Dialect != Cockroach {
		return nil, ErrNoRegions
	}
	if err := tooOld(d.version); err != nil {
		return nil, err
	}
	grown, err := regions.missing(d.regions)
	if err != nil {
		return nil, err
	}
	applied, err := d.up(ctx, func(m Migration) []string {
		switch {
		case m.Set == multiregion && (m.AppliedAt.IsZero() || grown):
			return regions.statements(d.pool.Config().ConnConfig.Database, m.sql)
		case m.Set != multiregion && m.AppliedAt.IsZero():
			return statements(m.sql)
		}
		return nil
	})
	if err != nil {
		return applied, err
	}
	return applied, d.rehomeAll(ctx, regions)
}
