package db_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/cockroachdb/cockroach-go/v2/testserver"
	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/db"
	"plateia/db/dbtest"
)

func TestPostgresHasNoRegions(t *testing.T) {
	d := dbtest.New(t)
	if d.Dialect != db.Postgres {
		t.Skip("not PostgreSQL")
	}
	if _, err := d.UpRegions(t.Context(), db.Regions{"eu"}); !errors.Is(err, db.ErrNoRegions) {
		t.Errorf("UpRegions = %v", err)
	}
	all, err := d.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.Optional() || m.AppliedAt.IsZero() {
			t.Errorf("%s: optional %v, applied %v", m, m.Optional(), m.AppliedAt)
		}
	}
}

// threeRegions is a database on a cluster of three nodes, one a region.
func threeRegions(t *testing.T) string {
	if os.Getenv("COCKROACH_BINARY") == "" {
		t.Skip("no COCKROACH_BINARY")
	}
	cluster, err := testserver.NewTestServer(testserver.ThreeNodeOpt(),
		testserver.LocalityFlagsOpt("region=eu-west", "region=us-east", "region=sa-east"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	return cluster.PGURL().String()
}

// A real cluster is made multi-region twice, keeps an event at home, and answers pages with follower reads.
func TestRegionsOnACluster(t *testing.T) {
	url := threeRegions(t)
	d := dbtest.Open(t, url, db.Options{})
	regions := db.Regions{"eu-west", "us-east", "sa-east"}
	if applied, err := d.UpRegions(t.Context(), regions); err != nil || len(applied) < 3 {
		t.Fatalf("applied %v, %v", applied, err)
	}
	again := dbtest.Open(t, url, db.Options{})
	if applied, err := again.UpRegions(t.Context(), regions); err != nil || len(applied) != 0 {
		t.Errorf("the second run applied %v, %v", applied, err)
	}
	if _, err := again.UpRegions(t.Context(), regions[:2]); err == nil {
		t.Error("a region was dropped")
	}
	catalog := db.NewCatalog(again)
	e := dbtest.OnSale(t, catalog, dbtest.Hall(t, id.New(), 1, 3, 10)) // its home is sa-east
	homes := collectText(t, again, "select distinct crdb_region::text from seat where event_id = $1", [16]byte(e.ID))
	if !slices.Equal(homes, []string{"sa-east"}) {
		t.Errorf("seats live in %q", homes)
	}
	goals := collectText(t, again, "select survival_goal from [show survival goal from database]")
	if !slices.Equal(goals, []string{"region"}) {
		t.Errorf("survival goal %q", goals)
	}
	if shown, err := catalog.Shown(t.Context(), e.ID); err != nil || shown.Title != e.Title {
		t.Errorf("Shown = %v, %v", shown.Title, err) // at once: not yet visible to followers, so asked at home
	}
}

func collectText(t *testing.T, d *db.DB, sql string, args ...any) []string {
	t.Helper()
	rows, err := d.Pool().Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return out
}
