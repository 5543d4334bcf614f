package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

// oneRoom is a room that keeps the orders it is given. The rules of a real one are tested where they are.
type oneRoom struct {
	view  queue.Overview
	asked []queue.Order
}

func (r *oneRoom) Rooms(context.Context) ([]queue.Overview, error) {
	return []queue.Overview{r.view}, nil
}

func (r *oneRoom) Overview(_ context.Context, event id.ID) (queue.Overview, error) {
	if event != r.view.Event {
		return queue.Overview{}, noRoom()
	}
	return r.view, nil
}

func (r *oneRoom) Predict(_ context.Context, _ id.ID, to int64) (queue.Effect, error) {
	return queue.Effect{Target: to, From: r.view.Target, Inside: r.view.Inside, PerSecond: float64(to) / 200, Now: float64(r.view.Target) / 200, Settles: 90 * time.Second}, nil
}

func (r *oneRoom) History(_ context.Context, _ id.ID, since time.Time, limit int) ([]queue.Moment, error) {
	m := r.view.Moment
	m.At = since
	return []queue.Moment{m}, nil
}

// Actions are 130 of them, newest first.
func (r *oneRoom) Actions(_ context.Context, _ id.ID, before int64, limit int) (out []queue.Action, err error) {
	if before == 0 {
		before = 131
	}
	for seq := before - 1; seq > 0 && len(out) < limit; seq-- {
		out = append(out, queue.Action{Seq: seq, At: r.view.At, Epoch: 1, Verb: queue.SetTarget, Who: "Ana", Why: fmt.Sprint(seq), Before: `{"target":100}`})
	}
	return out, nil
}

func (r *oneRoom) Act(_ context.Context, o queue.Order) (queue.Overview, error) {
	r.asked = append(r.asked, o)
	if o.Verb == queue.SetTarget && o.From != r.view.Target {
		return r.view, fault.New(fault.EventState, "the target is another one now").With("now", r.view.Target)
	}
	r.view.Message = o.Message
	return r.view, nil
}

func (r *oneRoom) Codes(_ context.Context, o queue.Order) ([]string, error) {
	r.asked = append(r.asked, o)
	return slices.Repeat([]string{"AAAA-BBBB"}, o.Count), nil
}

// oneEvent is a catalogue of one.
type oneEvent struct {
	Events
	event event.Event
}

func (e oneEvent) Shown(context.Context, id.ID) (event.Event, error) { return e.event, nil }

// desk is an operator's way to the API in front of oneRoom. Every answer is checked against edge/openapi.yaml.
type desk struct {
	t    *testing.T
	room *oneRoom
	url  string
	doc  routers.Router
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	which := id.New()
	d := &desk{t: t, room: &oneRoom{view: queue.Overview{
		Key:    queue.Key{Event: which, Epoch: 1},
		Moment: queue.Moment{At: now, Version: 7, Phase: "open", Entered: 1000, Passed: 400, Admitted: 180, Inside: 90, Target: 100, NoShow: 0.5, Throttle: 1},
		Tiers:  []string{"verified"}, Lottery: []int64{900}, Late: 100, Missed: 120, Called: 60, Left: map[string]int64{"bought": 50, "idle": 30, "left": 10}, Drawn: true,
		Cohorts: []queue.Cohort{{At: now, Tickets: 20, Came: 9.5, Complete: true}}, ClaimSeconds: 600, Stay: 200 * time.Second,
	}}}
	doc := document(t)
	doc.Servers = nil
	var err error
	if d.doc, err = legacy.NewRouter(doc); err != nil {
		t.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder("application/problem+json", openapi3filter.JSONBodyDecoder)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.url = "http://" + listener.Addr().String()
	events := oneEvent{event: event.Event{ID: which, Title: "São João", Venue: event.Venue{Name: "Old Hall", City: "Recife", Country: "BR"}, TimeZone: "America/Recife", StartsAt: now, OnSaleAt: now}}
	(&till{t: t}).serve(New(Deps{Tokens: anySession{}, Events: events, Rooms: d.room}, Options{OperatorKey: operatorKey}), listener)
	return d
}

// do asks for a path below the room; header is name, value, ….
func (d *desk) do(method, path, body string, header ...string) (int, map[string]any) {
	d.t.Helper()
	return d.at(method, "/v1/ops/events/"+d.room.view.Event.String()+"/room"+path, body, header...)
}

func (d *desk) at(method, path, body string, header ...string) (int, map[string]any) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+operatorKey.Reveal())
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, _ := io.ReadAll(answer.Body)
	d.check(req, answer, raw)
	var out map[string]any
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&out); err != nil {
		d.t.Fatalf("%s %s: %s", method, path, raw)
	}
	return answer.StatusCode, out
}

func (d *desk) check(req *http.Request, answer *http.Response, raw []byte) {
	d.t.Helper()
	found, params, err := d.doc.FindRoute(req)
	if err != nil {
		d.t.Fatalf("%s %s is not described: %v", req.Method, req.URL.Path, err)
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: found},
		Status:                 answer.StatusCode, Header: answer.Header, Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	input.SetBodyBytes(raw)
	if err := openapi3filter.ValidateResponse(d.t.Context(), input); err != nil {
		d.t.Errorf("%s %s: not as described: %v\n%s", req.Method, req.URL.Path, err, raw)
	}
}

// Numbers are shown with what follows from them: who waits, who probably comes, who gave up.
func TestARoomIsShown(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	status, room := d.do(http.MethodGet, "", "")
	if status != http.StatusOK || room["waiting"] != 600.0 || room["present"] != 300.0 || room["title"] != "São João" {
		t.Fatalf("%d %v", status, room)
	}
	if gave := room["gaveUp"].(map[string]any); gave["missed"] != 120.0 || gave["inside"] != 40.0 {
		t.Errorf("gave up: %v", gave)
	}
	d.room.view.Passed = 0
	if _, room := d.do(http.MethodGet, "", ""); room["present"] != nil {
		t.Errorf("how many will come is claimed to be %v before anybody was called", room["present"])
	}
	if _, list := d.at(http.MethodGet, "/v1/ops/rooms", ""); len(list["rooms"].([]any)) != 1 {
		t.Errorf("list: %v", list)
	}
	if status, _ := d.at(http.MethodGet, "/v1/ops/events/"+id.New().String()+"/room", ""); status != http.StatusNotFound {
		t.Errorf("a room that is not: %d", status)
	}
	status, history := d.do(http.MethodGet, "/history?since=2026-12-01T11:00:00Z", "")
	if m := history["moments"].([]any)[0].(map[string]any); status != http.StatusOK || m["at"] != "2026-12-01T11:00:00Z" || m["reason"] != nil {
		t.Errorf("history: %d %v", status, history)
	}
}

func TestTheAuditOfARoomIsPaged(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	_, first := d.do(http.MethodGet, "/actions", "")
	_, rest := d.do(http.MethodGet, "/actions?cursor="+fmt.Sprint(first["nextCursor"]), "")
	a, b := first["actions"].([]any), rest["actions"].([]any)
	if len(a) != maxActions || len(b) != 30 || rest["nextCursor"] != nil || b[0].(map[string]any)["why"] != "30" {
		t.Errorf("pages of %d and %d, then %v", len(a), len(b), rest["nextCursor"])
	}
	if x := a[0].(map[string]any); x["before"].(map[string]any)["target"] != 100.0 || x["after"] != nil {
		t.Errorf("%v", x)
	}
}

// Every change reaches the room with who and why, from the body or the header.
func TestChangesOfARoomAreSigned(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	next := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	say := fmt.Sprintf(`"reason":"venue","text":{"en":"A door is stuck","pt-BR":"Uma porta emperrou"},"nextUpdate":%q`, next.Format(time.RFC3339))
	for _, c := range []struct {
		path, body string
		want       queue.Order
	}{
		{"/pause", `{"who":"Ana","why":"stuck door",` + say + `}`, queue.Order{Verb: queue.Pause}},
		{"/resume", `{"who":"Ana","why":"door is free"}`, queue.Order{Verb: queue.Resume}},
		{"/message", `{"who":"Ana","why":"asked often","message":{` + say + `}}`, queue.Order{Verb: queue.Say}},
		{"/message", `{"who":"Ana","why":"old news","message":null}`, queue.Order{Verb: queue.Say}},
		{"/target", `{"who":"Ana","why":"more tills","target":150,"from":100}`, queue.Order{Verb: queue.SetTarget, From: 100, To: 150}},
		{"/reset", `{"who":"Ana","why":"wrong prices","epoch":1}`, queue.Order{Verb: queue.Reset, From: 1}},
		{"/codes", `{"who":"Ana","why":"fan club","tier":1,"count":3}`, queue.Order{Verb: queue.MakeCodes, Tier: 1, Count: 3}},
	} {
		d.room.asked = nil
		status, answer := d.do(http.MethodPost, c.path, c.body)
		if status > 201 || len(d.room.asked) != 1 {
			t.Errorf("%s answered %d %v", c.path, status, answer)
			continue
		}
		got := d.room.asked[0]
		if told := got.Message != nil; told != strings.Contains(c.body, "text") || told && (!got.Message.NextUpdate.Equal(next) || got.Message.Text["pt-BR"] != "Uma porta emperrou") {
			t.Errorf("%s: the room was given %+v", c.path, got.Message)
		}
		if got.Who != "Ana" || got.Why == "" || got.Event != d.room.view.Event {
			t.Errorf("%s is signed %q, %q", c.path, got.Who, got.Why)
		}
		got.Event, got.Who, got.Why, got.Message = c.want.Event, "", "", nil
		if got != c.want {
			t.Errorf("%s: the room was asked %+v", c.path, got)
		}
	}
	if _, _ = d.do(http.MethodPost, "/resume", `{"who":"Ana","why":"x"}`, headerOperator, "Bruno"); d.room.asked[len(d.room.asked)-1].Who != "Bruno" {
		t.Error("the name in the header, which a proxy has set, does not win")
	}
	if status, p := d.do(http.MethodPost, "/target", `{"who":"Ana","why":"x","target":150,"from":99}`); status != http.StatusConflict || p["now"] != 100.0 {
		t.Errorf("a change that began at another target: %d %v", status, p)
	}
}

func TestATargetIsPredictedAndNothingChanges(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	status, effect := d.do(http.MethodGet, "/target?to=200", "")
	if status != http.StatusOK || effect["perSecond"] != 1.0 || effect["perSecondNow"] != 0.5 || effect["from"] != 100.0 || effect["settlesSeconds"] != 90.0 {
		t.Errorf("%d %v", status, effect)
	}
	if len(d.room.asked) != 0 {
		t.Errorf("the room was asked for %v", d.room.asked)
	}
	for _, to := range []string{"", "0", "-1", "x", "1000001"} {
		if status, _ := d.do(http.MethodGet, "/target?to="+to, ""); status != http.StatusBadRequest {
			t.Errorf("to=%s: %d", to, status)
		}
	}
}

// What is not signed, not whole or not an operator's never reaches the room.
func TestRefusedOrders(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	soon := time.Now().Add(time.Hour).Format(time.RFC3339)
	say := func(reason, text, next string) string {
		return fmt.Sprintf(`{"who":"A","why":"b","reason":%q,"text":%s,"nextUpdate":%q}`, reason, text, next)
	}
	for name, c := range map[string][2]string{
		"nobody":              {"/resume", `{"why":"x"}`},
		"no reason":           {"/resume", `{"who":"A","why":"  "}`},
		"a long name":         {"/resume", `{"who":"` + strings.Repeat("a", 101) + `","why":"x"}`},
		"two lines":           {"/resume", `{"who":"A","why":"x\ny"}`},
		"no words":            {"/pause", say("venue", `{}`, soon)},
		"empty words":         {"/pause", say("venue", `{"en":""}`, soon)},
		"a novel":             {"/pause", say("venue", `{"en":"`+strings.Repeat("a", 501)+`"}`, soon)},
		"no language":         {"/pause", say("venue", `{"<b>":"x"}`, soon)},
		"no reason for fans":  {"/pause", say("", `{"en":"x"}`, soon)},
		"an update long ago":  {"/pause", say("venue", `{"en":"x"}`, "2020-01-01T00:00:00Z")},
		"an update some day":  {"/pause", say("venue", `{"en":"x"}`, "2099-01-01T00:00:00Z")},
		"never an update":     {"/pause", `{"who":"A","why":"b","reason":"venue","text":{"en":"x"}}`},
		"no target":           {"/target", `{"who":"A","why":"b","from":100}`},
		"a target of nobody":  {"/target", `{"who":"A","why":"b","target":0,"from":100}`},
		"a change from where": {"/target", `{"who":"A","why":"b","target":10}`},
		"a reset of which":    {"/reset", `{"who":"A","why":"b"}`},
		"no codes":            {"/codes", `{"who":"A","why":"b","tier":0,"count":0}`},
		"codes without end":   {"/codes", `{"who":"A","why":"b","tier":0,"count":10001}`},
		"a tier below all":    {"/codes", `{"who":"A","why":"b","tier":-1,"count":1}`},
	} {
		if status, p := d.do(http.MethodPost, c[0], c[1]); status != http.StatusBadRequest {
			t.Errorf("%s: %d %v", name, status, p)
		}
	}
	for _, path := range []string{"", "/history?since=x", "/actions?cursor=x", "/target?to=5"} {
		if status, _ := d.do(http.MethodGet, path, "", "Authorization", "Bearer "+operatorKey.Reveal()+"x"); status != http.StatusUnauthorized {
			t.Errorf("%s with a wrong key: %d", path, status)
		}
	}
	if status, _ := d.do(http.MethodPost, "/pause", say("venue", `{"en":"x"}`, soon), "Authorization", ""); status != http.StatusUnauthorized {
		t.Errorf("a pause by nobody: %d", status)
	}
	if len(d.room.asked) != 0 {
		t.Errorf("the room was asked for %v", d.room.asked)
	}
}
