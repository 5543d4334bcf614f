package api_test

import (
	"fmt"
	"testing"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/edge/api"
)

// The event says what it charges beside the seats, and a hold is expected to cost that. Answers are checked against openapi.yaml.
func TestFeesAreSaidBeforehand(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	rules := event.DefaultRules()
	rules.Fees = []event.Fee{{Name: "each", PerTicket: 150}, {Name: "order", PerOrder: 99}, {Name: "rate", Percent: 1000}}
	rules.TaxPercent = 700
	w.chart, w.event = w.sell("Olinda", rules)
	said := w.do("GET", "/v1/events/"+w.event.ID.String(), "").must(200).json["rules"].(map[string]any)
	want := "[map[amount:map[amount:150 currency:BRL] name:each per:ticket] map[amount:map[amount:99 currency:BRL] name:order per:order] map[name:rate per:percent rate:1000]]"
	if got := fmt.Sprint(said["fees"]); got != want || said["taxPercent"] != float64(700) {
		t.Errorf("said %v", said)
	}
	ana := w.fan("ana@example.com").signIn().comeIn()
	changed := ana.hold(`{"seatIds":["A-1-3","A-2-4"],"expectedTotal":{"amount":27000,"currency":"BRL"}}`).refused(409, fault.PriceChanged)
	if got := fmt.Sprint(changed.json["total"]); got != "map[amount:30099 currency:BRL]" {
		t.Errorf("told %s", got)
	}
	held := ana.hold(`{"seatIds":["A-1-3","A-2-4"],"expectedTotal":{"amount":30099,"currency":"BRL"}}`).must(201)
	if len(held.json["lines"].([]any)) != 6 {
		t.Errorf("%s", held.raw)
	}
}
