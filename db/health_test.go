package db_test

import (
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/payment"
	"plateia/db"
	"plateia/db/dbtest"
)

// What one process reports another reads, on the database's clock, until the first is silent or leaves.
func TestProviderHealthIsShared(t *testing.T) {
	d := dbtest.New(t)
	one, two := id.New(), id.New()
	report := func(process id.ID, r ...db.ProviderReport) {
		t.Helper()
		if err := d.ReportProviders(t.Context(), process, r); err != nil {
			t.Fatal(err)
		}
	}
	down := func() bool {
		t.Helper()
		reports, err := d.ProviderReports(t.Context(), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		return payment.OutlookOf(reports).AllDown(nil)
	}
	report(one, db.ProviderReport{Provider: "a", Open: true, OpenFor: 3 * time.Second, SinceOK: time.Minute})
	report(two, db.ProviderReport{Provider: "a", SinceOK: -1})
	if !down() {
		t.Error("a process that never called vouches for the provider")
	}
	report(two, db.ProviderReport{Provider: "a", SinceOK: time.Second})
	if down() {
		t.Error("an answer since is not believed")
	}
	report(two, db.ProviderReport{Provider: "a", SinceOK: time.Minute})
	if !down() {
		t.Error("an answer of before is believed")
	}
	if err := d.ForgetProviders(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if down() {
		t.Error("a process that left is still believed")
	}
	report(one, db.ProviderReport{Provider: "a", Open: true, SinceOK: -1})
	if reports, err := d.ProviderReports(t.Context(), 0); err != nil || len(reports) != 0 {
		t.Errorf("silent processes are heard: %v, %v", reports, err)
	}
}
