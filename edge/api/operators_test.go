package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/secret"
	"plateia/edge/api"
)

const deskKey = "desk-key-desk-key-desk-key"

// openRoom is a world with operators.
func openRoom(t *testing.T) *world {
	t.Helper()
	return open(t, api.Options{DevSessions: true, OperatorKey: secret.New(deskKey)})
}

// lead asks for something below the room of the world's event.
func (w *world) lead(method, path, body string) answer {
	w.t.Helper()
	return w.do(method, "/v1/ops/events/"+w.event.ID.String()+"/room"+path, body, "Authorization", "Bearer "+deskKey)
}

func (f *fan) status() answer {
	f.w.t.Helper()
	return f.w.do("GET", "/v1/queue", "", "Authorization", "Bearer "+f.queue)
}

// until asks until it is so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in a minute: %s", what)
		}
	}
}

func pauseBody(why string) string {
	return fmt.Sprintf(`{"who":"Ana","why":%q,"reason":"venue","text":{"en":"A door is stuck","pt-BR":"Uma porta emperrou"},"nextUpdate":%q}`,
		why, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
}

// Pausing tells those who wait why and lets nobody in; going on lets them in; both stand in the audit.
func TestAnOperatorPausesAndGoesOn(t *testing.T) {
	t.Parallel()
	w := openRoom(t)
	w.lead("POST", "/pause", pauseBody("the door of gate 3")).must(200)
	f := w.fan("fan@example.com").signIn()
	f.queue = f.enter(w.event.ID).must(201).text("queueToken")
	until(t, "the room is paused", func() bool { return w.lead("GET", "", "").must(200).json["phase"] == "paused" })
	if got := f.status().must(200); got.json["reason"] != "venue" || got.json["status"] == "ADMITTED" {
		t.Errorf("who waits is told %s", got.raw)
	}
	if got := f.claim().refused(409, fault.Waiting); got.json["reason"] != "venue" {
		t.Errorf("a claim in a pause is told %s", got.raw)
	}
	w.lead("POST", "/pause", pauseBody("again")).refused(409, fault.EventState)
	w.lead("POST", "/message", `{"who":"Ana","why":"no","message":null}`).refused(409, fault.EventState)
	w.lead("POST", "/resume", `{"who":"Bruno","why":"it opens"}`).must(200)
	w.lead("POST", "/resume", `{"who":"Bruno","why":"twice"}`).refused(409, fault.EventState)
	f.comeIn()
	until(t, "the fan is inside", func() bool { return w.lead("GET", "", "").must(200).json["inside"] == 1.0 })
	actions := w.lead("GET", "/actions", "").must(200).json["actions"].([]any)
	if len(actions) != 2 {
		t.Fatalf("the audit: %v", actions)
	}
	resumed, paused := actions[0].(map[string]any), actions[1].(map[string]any)
	if paused["who"] != "Ana" || paused["why"] != "the door of gate 3" || paused["after"].(map[string]any)["reason"] != "venue" || resumed["verb"] != "resume" || resumed["who"] != "Bruno" {
		t.Errorf("the audit: %v", actions)
	}
	until(t, "history", func() bool { return len(w.lead("GET", "/history", "").must(200).json["moments"].([]any)) > 0 })
}

// A target is what was shown to the operator who sets it, or it is refused.
func TestAnOperatorSetsTheTarget(t *testing.T) {
	t.Parallel()
	w := openRoom(t)
	effect := w.lead("GET", "/target?to=2", "").must(200)
	if effect.json["from"] != 10_000.0 || effect.json["target"] != 2.0 {
		t.Fatalf("%s", effect.raw)
	}
	w.lead("POST", "/target", `{"who":"Ana","why":"a rehearsal","target":2,"from":9999}`).refused(409, fault.EventState)
	if got := w.lead("POST", "/target", `{"who":"Ana","why":"a rehearsal","target":2,"from":10000}`).must(200); got.json["target"] != 2.0 {
		t.Errorf("%s", got.raw)
	}
	for n := range 2 {
		w.fan(fmt.Sprintf("fan%d@example.com", n)).signIn().comeIn()
	}
	until(t, "two are inside", func() bool { return w.lead("GET", "", "").must(200).json["inside"] == 2.0 })
	third := w.fan("third@example.com").signIn()
	third.queue = third.enter(w.event.ID).must(201).text("queueToken")
	if got := third.claim(); got.status != http.StatusConflict {
		t.Errorf("a third one of two is let in: %d %s", got.status, got.raw)
	}
}

// A reset voids every place and session, stays in the record, and can be made once of each epoch.
func TestAnOperatorResetsTheLine(t *testing.T) {
	t.Parallel()
	w := openRoom(t)
	f := w.fan("fan@example.com").signIn().comeIn()
	w.lead("POST", "/reset", `{"who":"Ana","why":"wrong prices","epoch":2}`).refused(409, fault.EventState)
	if got := w.lead("POST", "/reset", `{"who":"Ana","why":"wrong prices","epoch":1}`).must(200); got.json["epoch"] != 2.0 || got.json["admitted"] != 0.0 {
		t.Errorf("%s", got.raw)
	}
	w.lead("POST", "/reset", `{"who":"Ana","why":"wrong prices","epoch":1}`).refused(409, fault.EventState)
	if got := f.claim(); got.status != http.StatusConflict || got.json["reason"] != "restarted" {
		t.Errorf("a ticket of before is told %d %s", got.status, got.raw)
	}
	if got := f.hold(`{"bestAvailable":{"quantity":1}}`); got.status < 400 {
		t.Errorf("a session of before holds seats: %s", got.raw)
	}
	f.comeIn()
	actions := w.lead("GET", "/actions", "").must(200).json["actions"].([]any)
	if len(actions) != 1 || actions[0].(map[string]any)["verb"] != "reset" {
		t.Errorf("the audit: %v", actions)
	}
}

// Codes are told once, none twice, and the audit knows how many there are and none of them.
func TestAnOperatorMakesCodes(t *testing.T) {
	t.Parallel()
	w := openRoom(t)
	seen := map[any]bool{}
	for range 2 {
		for _, code := range w.lead("POST", "/codes", `{"who":"Ana","why":"fan club","tier":0,"count":5}`).must(201).json["codes"].([]any) {
			seen[code] = true
		}
	}
	w.lead("POST", "/codes", `{"who":"Ana","why":"fan club","tier":3,"count":5}`).refused(400, fault.Invalid)
	if got := w.lead("GET", "", "").must(200); len(seen) != 10 || got.json["codes"] != 10.0 {
		t.Errorf("%d codes, the room counts %v", len(seen), got.json["codes"])
	}
	last := w.lead("GET", "/actions", "").must(200)
	for code := range seen {
		if strings.Contains(string(last.raw), fmt.Sprint(code)) {
			t.Errorf("the audit has a code: %s", last.raw)
		}
	}
}

// Only armed rooms are listed, and asking about one that does not exist arms nothing.
func TestRoomsAreListed(t *testing.T) {
	t.Parallel()
	w := openRoom(t)
	w.do("GET", "/v1/ops/events/"+id.New().String()+"/room", "", "Authorization", "Bearer "+deskKey).refused(404, fault.NotFound)
	w.lead("GET", "", "").must(200)
	rooms := w.do("GET", "/v1/ops/rooms", "", "Authorization", "Bearer "+deskKey).must(200).json["rooms"].([]any)
	if len(rooms) != 1 || rooms[0].(map[string]any)["eventId"] != w.event.ID.String() || len(rooms[0].(map[string]any)["cohorts"].([]any)) != 0 {
		t.Errorf("%v", rooms)
	}
}
