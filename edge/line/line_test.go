package line

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

func TestShapes(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("x", 3600))
	place := account.Place{Event: id.ID{1}, Status: account.QueueWaiting, Class: account.Late, Tier: 1, Phase: "open", Version: 7}
	for name, c := range map[string]struct {
		got  any
		want string
	}{
		"before the draw": {PlaceOf(place), `{"status":"WAITING","eventId":"01000000-0000-0000-0000-000000000000","class":"late","tier":1,"ahead":null,"standardError":0,"etaSeconds":null,"claimBy":null,"phase":"open","version":7}`},
		"an entry": {EnteredOf("t", account.QueueTicket{EnteredAt: at}, account.Place{Known: true, Ahead: 3, Wait: &account.Wait{Low: 1500 * time.Millisecond, High: time.Minute}, ClaimBy: at, Reason: "paused"}),
			`{"queueToken":"t","enteredAt":"2026-03-01T11:00:00Z","status":"","eventId":"00000000-0000-0000-0000-000000000000","class":"","tier":0,"ahead":3,"standardError":0,"etaSeconds":[2,60],"claimBy":"2026-03-01T11:00:00Z","reason":"paused","phase":"","version":0}`},
		"a claim": {AdmittedOf("a", account.Access{ExpiresAt: at}), `{"accessToken":"a","expiresAt":"2026-03-01T11:00:00Z","eventId":"00000000-0000-0000-0000-000000000000"}`},
	} {
		if got, err := json.Marshal(c.got); err != nil || string(got) != c.want {
			t.Errorf("%s: %s %v, want %s", name, got, err, c.want)
		}
	}
}

func TestReading(t *testing.T) {
	for body, want := range map[string]queue.Asked{"": {}, " ": {}, "{}": {}, `{"challenge":"c","code":"k","more":1}`: {Challenge: "c", Code: "k"}} {
		if got, err := ReadEntering("application/json", []byte(body)); err != nil || got != want {
			t.Errorf("%q: %+v %v", body, got, err)
		}
	}
	for body, field := range map[string]string{`[]`: "", `{"code":1}`: "code", `{"code":"a","CODE":"b"}`: "", `{"challenge":"` + strings.Repeat("x", maxAsked+1) + `"}`: "challenge"} {
		_, err := ReadEntering("", []byte(body))
		if f := fault.From(err); f.Code != fault.Invalid || field != "" && f.Details["field"] != field {
			t.Errorf("%.40q: %v", body, err)
		}
	}
	if _, err := ReadEntering("text/plain", []byte("{}")); fault.CodeOf(err) != fault.MediaType {
		t.Errorf("%v", err)
	}
	if token, err := ReadClaim("application/json; charset=utf-8", []byte(`{"queueToken":"t"}`)); err != nil || token != "t" {
		t.Errorf("%q %v", token, err)
	}
	if _, err := ReadClaim("", nil); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("%v", err)
	}
}

func TestWayBack(t *testing.T) {
	if WayBack(nil, id.ID{1}) != nil {
		t.Error("no refusal became one")
	}
	for want, err := range map[string]error{
		"/":                              WayBack(ErrNoProof(), id.ID{}),
		"/line/" + (id.ID{1}).String():   WayBack(ErrNoProof(), id.ID{1}),
		"/events/" + (id.ID{2}).String(): WayBack(fault.New(fault.QueueRequired, "x").With("waitingRoom", "/events/"+(id.ID{2}).String()), id.ID{1}),
	} {
		if got := fault.From(err).Details["waitingRoom"]; got != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	if err := WayBack(errors.New("ours"), id.ID{1}); fault.CodeOf(err) != fault.Internal {
		t.Errorf("%v", err)
	}
}

func TestClaimsAreCountedByHowTheyEnd(t *testing.T) {
	t.Parallel()
	var n Counter
	for _, err := range []error{nil, fault.New(fault.Waiting, ""), fault.New(fault.Unauthenticated, ""), fault.New(fault.Unauthenticated, ""), fault.New(fault.Forbidden, ""), fault.New(fault.Busy, ""), io.EOF} {
		n.Note(err)
	}
	if got := n.Now(); got != (Outcomes{Done: 1, Early: 1, Refused: 2, Over: 1, Failed: 2}) {
		t.Errorf("%+v", got)
	}
}
