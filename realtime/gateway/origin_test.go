package gateway_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"plateia/core/id"
	"plateia/realtime/gateway"
	"plateia/realtime/wire"
)

// Another site's page reads the stream of events only where it may show the event; its own hello changes nothing.
func TestEventsOfOtherOrigins(t *testing.T) {
	s := newSite(t, 10, 1)
	g, url := s.gateway(func(o *gateway.Options) { o.Allows = s.venueAlone })
	path := url + "/v1/events/" + s.db.event.String() + "/live"
	token, _ := s.admit()
	for _, origins := range [][]string{{"https://evil.example"}, {"null"}, {""}, {"https://venue.example", "https://venue.example"}, {"https://venue.example", "http://" + url[len("http://"):]}} {
		res := s.get(path, http.Header{"Origin": origins, "Authorization": {"Bearer " + token}})
		res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("%q reads: %d", origins, res.StatusCode)
		}
	}
	if res := s.get(url+"/v1/events/"+id.New().String()+"/live", http.Header{"Origin": {"https://venue.example"}}); res.StatusCode != http.StatusForbidden {
		t.Errorf("another event: %d", res.StatusCode)
	}
	if got := g.Stats().BadOrigin; got != 6 {
		t.Errorf("%d refused for their origin", got)
	}
	for _, origin := range []string{"https://venue.example", "http://" + url[len("http://"):]} {
		res := s.get(path, http.Header{"Origin": {origin}})
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", origin, res.StatusCode)
		}
	}
	_, closed := s.gateway()
	if res := s.get(closed+"/v1/events/"+s.db.event.String()+"/live", http.Header{"Origin": {"https://venue.example"}}); res.StatusCode != http.StatusForbidden {
		t.Errorf("a gateway without a list: %d", res.StatusCode)
	}
}

// Who is looking when a partner's leave ends is sent away, and nobody else.
func TestAPartnersLeaveEnds(t *testing.T) {
	s := newSite(t, 10, 1)
	var over atomic.Bool
	g, url := s.gateway(func(o *gateway.Options) {
		o.Allows = func(event id.ID, origin string) bool { return !over.Load() && s.venueAlone(event, origin) }
	})
	host := "http://" + url[len("http://"):]
	open := func(origin string) *websocket.Conn {
		ws, _, err := s.raw(url, s.db.event, &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}, HTTPHeader: http.Header{"Origin": {origin}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ws.CloseNow() })
		if err := ws.Write(t.Context(), websocket.MessageBinary, wire.AppendHello(nil, wire.Hello{Event: s.db.event, View: wire.View{Mode: wire.Whole}})); err != nil {
			t.Fatal(err)
		}
		return ws
	}
	venue, own := open("https://venue.example"), open(host)
	stream := s.lines(url, http.Header{"Origin": {"https://venue.example"}})
	eventually(t, "three look", func() bool { return g.Stats().Viewers == 3 })
	over.Store(true)
	if got := closeCode(venue); got != wire.ByeNotAllowed.CloseCode() {
		t.Errorf("closed with %d", got)
	}
	eventually(t, "the stream ends", stream.ended)
	eventually(t, "one looks", func() bool { return g.Stats().Viewers == 1 })
	if _, _, err := own.Read(t.Context()); err != nil {
		t.Errorf("our own page: %v", err)
	}
}
