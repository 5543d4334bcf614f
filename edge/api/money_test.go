package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/money"
)

// figures are the amounts of a hold or an order as a page or a receipt reads them.
type figures struct {
	Total, Net, Tax money.Amount
	Lines           []struct {
		Kind, SeatID, Name, Per string
		Rate                    int
		Included                bool
		Amount                  money.Amount
	}
}

func (k *till) figures(who id.ID, path string) (f figures) {
	k.t.Helper()
	status, _, raw := k.ask(who, http.MethodGet, path, "", "")
	if err := json.Unmarshal(raw, &f); err != nil || status != http.StatusOK {
		k.t.Fatalf("%s: %d %s", path, status, raw)
	}
	return f
}

// A fee, its tax, the hold, the order, the list and the paid order: one set of figures (case 26 with seats of 180.00).
func TestHoldOrderAndReceiptShowTheSameFigures(t *testing.T) {
	k := openTill(t, func(r *event.Rules) {
		r.Fees, r.TaxPercent = []event.Fee{{Name: "Taxa de serviço", Percent: 1250}, {Name: "Entrega", PerOrder: 99}}, 700
	})
	fan := id.New()
	hold := k.hold(fan, 1, 6)
	asHold := k.figures(fan, "/v1/holds/"+hold.String())
	// 360.00 + 45.00 + 0.99 = 405.99, which is 379.43 and 26.56 tax.
	if asHold.Total.String() != "405.99 BRL" || asHold.Net.String() != "379.43 BRL" || asHold.Tax.String() != "26.56 BRL" {
		t.Errorf("%+v", asHold)
	}
	want := "[{seat A-7-2   0 false 180.00 BRL} {seat A-8-3   0 false 180.00 BRL} {fee  Taxa de serviço percent 1250 false 45.00 BRL} " +
		"{fee  Entrega order 0 false 0.99 BRL} {tax    700 true 26.56 BRL}]"
	if got := fmt.Sprint(asHold.Lines); got != want {
		t.Errorf("lines %s", got)
	}
	_, made := k.place(fan, hold, "k1")
	orderID, _ := made["orderId"].(string)
	same := func(when string) {
		t.Helper()
		if f := k.figures(fan, "/v1/orders/"+orderID); fmt.Sprint(f) != fmt.Sprint(asHold) {
			t.Errorf("%s: %+v, held at %+v", when, f, asHold)
		}
	}
	same("placed")
	k.press(fan, orderID, "approve")
	k.until(fan, orderID, statusIs("CONFIRMED"))
	same("paid")
	var list struct{ Orders []figures }
	_, _, raw := k.ask(fan, http.MethodGet, "/v1/orders", "", "")
	if err := json.Unmarshal(raw, &list); err != nil || len(list.Orders) != 1 || fmt.Sprint(list.Orders[0]) != fmt.Sprint(asHold) {
		t.Errorf("listed %s", raw)
	}
}
