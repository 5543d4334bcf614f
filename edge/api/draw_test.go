package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/edge/api"
	"plateia/waitingroom/audit"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/token"
)

// Five fans buy their way in, and anybody audits the line from what the API publishes.
func TestThePublicRecordOfADrawPassesTheAudit(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	path := "/v1/events/" + w.event.ID.String() + "/draw"
	for n := range 5 {
		f := w.fan(fmt.Sprintf("fan%d@example.com", n)).signIn().comeIn()
		f.enter(w.event.ID).must(201)
	}
	var statements struct {
		Keys       json.RawMessage
		Statements []draw.Signed
	}
	for deadline := time.Now().Add(time.Minute); len(statements.Statements) < 3; time.Sleep(20 * time.Millisecond) {
		if err := json.Unmarshal(w.do("GET", path+"/statements", "").must(200).raw, &statements); err != nil || time.Now().After(deadline) {
			t.Fatalf("the draw is never made: %v", err)
		}
	}
	keys, err := token.ParseJWKS(statements.Keys)
	if err != nil {
		t.Fatal(err)
	}
	got := w.do("GET", path, "").must(200)
	if got.header.Get("Cache-Control") != "no-store" {
		t.Error(got.header)
	}
	record, err := audit.Read(bytes.NewReader(got.raw))
	if err != nil {
		t.Fatalf("%v: %s", err, got.raw)
	}
	o := audit.Options{Event: w.event.ID, Chain: beacon.Quicknet(), Keys: keys, Seen: []token.Statement{statements.Statements[0].Statement}}
	if r := audit.Audit(record, o); r.Failures > 0 || len(record.Epochs) != 1 || len(record.Epochs[0].Entries) != 5 {
		t.Errorf("%+v of %s", r, got.raw)
	}
	record.Epochs[0].Entries[2].Class = draw.Lottery
	if audit.Audit(record, o).Failures == 0 {
		t.Error("an entry that was changed is not found")
	}
	w.do("GET", "/v1/events/"+id.New().String()+"/draw", "").refused(404, fault.NotFound)
	_, other := w.sell("Olinda", event.DefaultRules())
	w.do("GET", "/v1/events/"+other.ID.String()+"/draw/statements", "").refused(404, fault.NotFound)
}
