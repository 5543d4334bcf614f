package api_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/edge/api"
)

func TestHolding(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	ana, bob := w.fan("ana@example.com").signIn().comeIn(), w.fan("bob@example.com").signIn().comeIn()
	h := ana.hold(`{"seatIds":["A-1-3","A-2-4"],"expectedTotal":{"amount":27000,"currency":"BRL"}}`).must(201)
	seat := h.json["seats"].([]any)[0].(map[string]any)
	if h.text("state") != "ACTIVE" || seat["seatId"] != "A-1-3" || seat["section"] != "A" || seat["row"] != "1" || seat["seat"] != "3" || seat["category"] != "front" || seat["ordinal"] != float64(2) {
		t.Errorf("%s", h.raw)
	}
	if total := h.json["total"].(map[string]any); total["amount"] != float64(27000) || total["currency"] != "BRL" {
		t.Errorf("%v", total)
	}
	taken := bob.hold(`{"seatIds":["A-1-3","A-1-4"]}`).refused(409, fault.SeatTaken)
	if fmt.Sprint(taken.json["seats"]) != "[A-1-3]" {
		t.Errorf("%s", taken.raw)
	}
	session := []string{"Authorization", "Bearer " + ana.session}
	mine := w.do("GET", w.holds()+"/mine", "", session...).must(200)
	if mine.json["hold"].(map[string]any)["holdId"] != h.text("holdId") {
		t.Errorf("%s", mine.raw)
	}
	if none := w.do("GET", w.holds()+"/mine", "", "Authorization", "Bearer "+bob.session).must(200); string(none.raw) != `{"hold":null}` {
		t.Errorf("%s", none.raw)
	}
	one := "/v1/holds/" + h.text("holdId")
	w.do("GET", one, "", session...).must(200)
	key := append([]string{"Idempotency-Key", "extend-1"}, session...)
	extended := w.do("POST", one+"/extend", "", key...).must(200)
	if extended.text("expiresAt") <= h.text("expiresAt") {
		t.Errorf("not extended: %s, was %s", extended.text("expiresAt"), h.text("expiresAt"))
	}
	w.do("POST", one+"/extend", "", session...).refused(400, fault.KeyMissing)
	for _, step := range []struct{ method, path string }{{"GET", one}, {"DELETE", one}, {"POST", one + "/extend"}} { // somebody else's, and nobody's
		w.do(step.method, step.path, "", "Authorization", "Bearer "+bob.session, "Idempotency-Key", "k").refused(404, fault.NotFound)
		w.do(step.method, strings.Replace(step.path, h.text("holdId"), id.New().String(), 1), "", append([]string{"Idempotency-Key", "k"}, session...)...).refused(404, fault.NotFound)
		w.do(step.method, strings.Replace(step.path, h.text("holdId"), "nonsense", 1), "", append([]string{"Idempotency-Key", "k"}, session...)...).refused(404, fault.NotFound)
	}
	w.do("DELETE", one, "", session...).must(204)
	w.do("DELETE", one, "", session...).must(204)
	if gone := w.do("GET", one, "", session...).must(200); gone.text("state") != "RELEASED" {
		t.Errorf("%s", gone.raw)
	}
	w.do("POST", one+"/extend", "", append([]string{"Idempotency-Key", "extend-2"}, session...)...).refused(409, fault.HoldGone)
	bob.hold(`{"seatIds":["A-1-3"]}`).must(201)
}

func TestBestAvailable(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	f := w.fan("ana@example.com").signIn().comeIn()
	h := f.hold(`{"bestAvailable":{"quantity":4,"sections":["A"],"maxPrice":{"amount":9000,"currency":"BRL"}}}`).must(201)
	for _, s := range h.json["seats"].([]any) {
		if s.(map[string]any)["row"] != "2" {
			t.Errorf("over the price: %s", h.raw)
		}
	}
	f.hold(`{"bestAvailable":{"quantity":2,"maxPrice":{"amount":1,"currency":"BRL"}}}`).refused(409, fault.NoSeats)
	h = f.hold(`{"bestAvailable":{"quantity":2,"categories":["` + h.json["seats"].([]any)[0].(map[string]any)["category"].(string) + `"]}}`).must(201)
	for _, s := range h.json["seats"].([]any) {
		if s.(map[string]any)["row"] != "2" {
			t.Errorf("of another category: %s", h.raw)
		}
	}
}

// Everything that "bad input gets" names, and nothing changes by it.
func TestBadHolds(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	rules := event.DefaultRules()
	rules.PressesPerMinute = 1000
	w.chart, w.event = w.sell("Recife", rules)
	f := w.fan("ana@example.com").signIn().comeIn()
	seven := `"A-1-1","A-1-2","A-1-3","A-1-4","A-1-5","A-1-6","A-1-7"`
	many := `"x"` + strings.Repeat(`,"x"`, 100)
	for name, tt := range map[string]struct {
		body   string
		status int
		code   fault.Code
	}{
		"unknown seat":            {`{"seatIds":["A-1-1","A-1-99"]}`, 404, fault.NotFound},
		"seat in another writing": {`{"seatIds":["a-1-1"]}`, 404, fault.NotFound},
		"seat twice":              {`{"seatIds":["A-1-1","A-1-1"]}`, 400, fault.Invalid},
		"empty list":              {`{"seatIds":[]}`, 400, fault.Invalid},
		"more than the limit":     {`{"seatIds":[` + seven + `]}`, 409, fault.LimitExceeded},
		"far more":                {`{"seatIds":[` + many + `]}`, 409, fault.LimitExceeded},
		"best, six hundred":       {`{"bestAvailable":{"quantity":600}}`, 400, fault.Invalid},
		"best, none":              {`{"bestAvailable":{"quantity":0}}`, 400, fault.Invalid},
		"best, minus one":         {`{"bestAvailable":{"quantity":-1}}`, 400, fault.Invalid},
		"best, unknown section":   {`{"bestAvailable":{"quantity":1,"sections":["Z"]}}`, 404, fault.NotFound},
		"best, unknown category":  {`{"bestAvailable":{"quantity":1,"categories":["Z"]}}`, 404, fault.NotFound},
		"best, other currency":    {`{"bestAvailable":{"quantity":1,"maxPrice":{"amount":1,"currency":"USD"}}}`, 400, fault.Invalid},
		"both":                    {`{"seatIds":["A-1-1"],"bestAvailable":{"quantity":1}}`, 400, fault.Invalid},
		"neither":                 {`{}`, 400, fault.Invalid},
		"null":                    {`{"seatIds":null}`, 400, fault.Invalid},
		"numbers":                 {`{"seatIds":[1]}`, 400, fault.Invalid},
		"price changed":           {`{"seatIds":["A-1-1"],"expectedTotal":{"amount":1,"currency":"BRL"}}`, 409, fault.PriceChanged},
		"price in dollars":        {`{"seatIds":["A-1-1"],"expectedTotal":{"amount":18000,"currency":"USD"}}`, 400, fault.Invalid},
		"malformed":               {`{"seatIds":["A-1-1"}`, 400, fault.Invalid},
		"truncated":               {`{"seatIds":["A-1-1`, 400, fault.Invalid},
		"trailing":                {`{"seatIds":["A-1-1"]}{}`, 400, fault.Invalid},
		"duplicate member":        {`{"seatIds":["A-1-1"],"seatIds":["A-1-2"]}`, 400, fault.Invalid},
		"nothing":                 {``, 400, fault.Invalid},
		"ten megabytes":           {`{"seatIds":["` + strings.Repeat("a", 10<<20) + `"]}`, 413, fault.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			got := f.hold(tt.body)
			got.t = t
			got.refused(tt.status, tt.code)
		})
	}
	ok := `{"seatIds":["A-1-1"]}`
	bearer := "Bearer " + f.access
	w.do("POST", w.holds(), ok, "Authorization", bearer).refused(400, fault.KeyMissing)
	w.do("POST", w.holds(), ok, "Idempotency-Key", "k").refused(401, fault.QueueRequired)
	w.do("POST", w.holds(), ok, "Idempotency-Key", "k", "Authorization", "Bearer "+f.session).refused(401, fault.QueueRequired)
	w.do("POST", w.holds(), ok, "Idempotency-Key", "k", "Authorization", "Bearer "+f.queue).refused(401, fault.QueueRequired)
	spoiled := []byte(f.access)
	spoiled[len(spoiled)/2] ^= 1
	w.do("POST", w.holds(), ok, "Idempotency-Key", "k", "Authorization", "Bearer "+string(spoiled)).refused(401, fault.QueueRequired)
	_, other := w.sell("Olinda", event.DefaultRules())
	elsewhere := w.do("POST", "/v1/events/"+other.ID.String()+"/holds", ok, "Idempotency-Key", "k", "Authorization", bearer).refused(401, fault.QueueRequired)
	if elsewhere.text("waitingRoom") != "/events/"+other.ID.String() {
		t.Errorf("%s", elsewhere.raw)
	}
	w.do("POST", "/v1/events/"+id.New().String()+"/holds", ok, "Idempotency-Key", "k", "Authorization", bearer).refused(401, fault.QueueRequired)
	free := w.do("GET", "/v1/events/"+w.event.ID.String()+"/availability", "").must(200).json["sections"].([]any)[0].(map[string]any)["free"]
	if free != float64(40) {
		t.Errorf("bad input changed something: %v free", free)
	}
}

func TestIdempotentHolds(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	f := w.fan("ana@example.com").signIn().comeIn()
	press := func(body string, more ...string) answer {
		return w.do("POST", w.holds(), body, append([]string{"Authorization", "Bearer " + f.access, "Idempotency-Key", "one"}, more...)...)
	}
	first := press(`{"seatIds":["A-1-1"]}`).must(201)
	again := press(`{"seatIds":["A-1-1"]}`).must(201)
	if first.text("holdId") != again.text("holdId") || again.header.Get("Idempotency-Replayed") != "true" || first.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("%s, then %s", first.raw, again.raw)
	}
	press(`{"seatIds":["A-1-2"]}`).refused(422, fault.KeyReused)

	// The seat goes to somebody else, and the first press comes once more, also by a proxy that repeats what it had heard.
	w.do("DELETE", "/v1/holds/"+first.text("holdId"), "", "Authorization", "Bearer "+f.session).must(204)
	w.fan("bob@example.com").signIn().comeIn().hold(`{"seatIds":["A-1-1"]}`).must(201)
	for _, more := range [][]string{nil, {"Idempotency-Attempt", "2"}, {"Idempotency-Attempt", "1"}} {
		late := press(`{"seatIds":["A-1-1"]}`, more...).must(201)
		if late.text("holdId") != first.text("holdId") || late.text("state") == first.text("state") {
			t.Errorf("%v: %s, at first %s", more, late.raw, first.raw)
		}
	}
}

func TestPressesAreLimited(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	f := w.fan("ana@example.com").signIn().comeIn()
	began := time.Now()
	for i := range 10 {
		f.hold(fmt.Sprintf(`{"seatIds":["A-1-%d"]}`, i+1)).must(201)
	}
	no := f.hold(`{"seatIds":["A-1-11"]}`).refused(429, fault.RateLimited)
	reset, err := time.Parse(time.RFC3339Nano, no.text("resetAt"))
	if err != nil || time.Until(reset) > time.Minute || reset.Before(began.Add(time.Minute-time.Second)) || no.header.Get("Retry-After") == "" {
		t.Errorf("%s %v, the first press was at %v", no.raw, err, began)
	}
	w.fan("bob@example.com").signIn().comeIn().hold(`{"seatIds":["A-1-11"]}`).must(201)
}

// A new session of the account ends the old one; the answer says so.
func TestAnotherDeviceTakesOver(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	laptop := w.fan("ana@example.com").signIn().comeIn()
	laptop.hold(`{"seatIds":["A-1-1"]}`).must(201)
	time.Sleep(1100 * time.Millisecond) // sessions are dated in whole seconds
	phone := w.fan("ana@example.com").signIn().comeIn()
	laptop.hold(`{"seatIds":["A-1-2"]}`).refused(409, fault.SessionReplaced)
	phone.hold(`{"seatIds":["A-1-2"]}`).must(201)
}

func TestManyFansOverHTTP(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	const fans = 30
	all := make([]*fan, fans)
	for i := range all {
		all[i] = w.fan(fmt.Sprintf("fan%d@example.com", i)).signIn()
	}
	for _, f := range all {
		f.comeIn()
	}
	var won, lost atomic.Int32
	var wg sync.WaitGroup
	for _, f := range all {
		wg.Go(func() {
			switch got := f.hold(`{"seatIds":["A-1-1","A-1-2"]}`); got.status {
			case 201:
				won.Add(1)
			case 409:
				lost.Add(1)
			default:
				t.Errorf("%d %s", got.status, got.raw)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != fans-1 {
		t.Errorf("%d won, %d lost", won.Load(), lost.Load())
	}
}
