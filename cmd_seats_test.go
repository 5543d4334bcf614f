package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"plateia/db"
	"plateia/db/dbtest"
)

// The theatre of the demo, worked on as an operator does.
func TestSeatsCommand(t *testing.T) {
	d := dbtest.Open(t, demoSeed.URL(t), db.Options{})
	theatre := demoTheatre()
	url := d.Pool().Config().ConnString()
	try := func(args ...string) (seatsReport, error) {
		var out, log bytes.Buffer
		args = append(args, "--event", theatre.String(), "--database", url, "--json")
		err := runSeats(t.Context(), env{&out, &log, func(string) string { return "" }}, args)
		var r seatsReport
		if err == nil {
			err = json.Unmarshal(out.Bytes(), &r)
		}
		return r, err
	}
	for _, step := range []struct {
		args    string
		changed int
		says    string // of the refusal
	}{
		{"block --section BALCONY --rows A --dry-run", 22, ""},
		{"block --section BALCONY --rows A", 22, ""},
		{"block --section BALCONY --rows A", 0, ""},
		{"allocate --section BALCONY --channel Fans --release 2999-01-01T00:00:00Z", 0, "blocked"},
		{"unblock --section BALCONY", 22, ""},
		{"allocate --section STANDING --channel Fans --release 2999-01-01T00:00:00Z", 30, ""},
		{"allocate --seats STALLS-A-1,STALLS-A-2 --channel Fans", 2, ""},
		{"allocate --seats STALLS-A-1 --channel public", 1, ""},
		{"allocate --seats STALLS-A-1 --channel Fans --release 2001-01-01T00:00:00Z", 0, "over"},
		{"allocate --seats STALLS-A-1 --channel Fans --release soon", 0, "instant"},
		{"allocate --seats STALLS-A-1", 0, "--channel"},
		{"block --seats STALLS-A-999", 0, "STALLS-A-999"},
		{"block --section NOWHERE", 0, "NOWHERE"},
		{"block --section STALLS --rows ZZ", 0, "ZZ"},
		{"block --section STALLS --seats STALLS-A-1", 0, "either"},
		{"block", 0, "either"},
		{"sell --seats STALLS-A-1", 0, "usage"},
	} {
		r, err := try(strings.Fields(step.args)...)
		if step.says == "" && (err != nil || r.Changed != step.changed) {
			t.Errorf("%s: %+v %v", step.args, r, err)
		}
		if step.says != "" && (err == nil || !strings.Contains(err.Error(), step.says)) {
			t.Errorf("%s: %v does not say %q", step.args, err, step.says)
		}
	}
	e, err := db.NewCatalog(d).Event(t.Context(), theatre)
	if err != nil || len(e.Rules.Channels) != 1 || e.Rules.Channels[0].ReleaseAt == nil || e.Rules.Channels[0].ReleaseAt.Year() != 2999 {
		t.Errorf("channels %+v, %v", e.Rules.Channels, err)
	}
}
