package rehearse

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"

	"plateia/core/id"
	"plateia/edge/payments/sandbox"
)

// oddBank is a bank's ledger without the bank.
type oddBank struct {
	name    string
	script  sandbox.Script
	entries []sandbox.Entry
}

func (b *oddBank) Name() string { return b.name }
func (b *oddBank) Disturb(_ context.Context, s sandbox.Script) error {
	b.script = s
	return nil
}
func (b *oddBank) Disturbed(context.Context) (sandbox.Script, map[sandbox.Fault]int, error) {
	return b.script, map[sandbox.Fault]int{sandbox.Late: 2}, nil
}
func (b *oddBank) WholeLedger(context.Context) ([]sandbox.Entry, error) { return b.entries, nil }

func TestMoneyIsAddedUpByState(t *testing.T) {
	sold, sent, strange := id.New(), id.New(), id.New()
	move := func(order id.ID, kind sandbox.EntryKind, amount int64) sandbox.Entry {
		return sandbox.Entry{Order: order, Kind: kind, Amount: amount, Currency: "BRL"}
	}
	banks := []Bank{
		&oddBank{name: "a", entries: []sandbox.Entry{move(sold, sandbox.EntryCapture, 36000), move(strange, sandbox.EntryCapture, 5), move(sent, sandbox.EntryCapture, 18000)}},
		&oddBank{name: "b", entries: []sandbox.Entry{
			move(sold, sandbox.EntryCapture, 36000), move(sold, sandbox.EntryRefund, 36000), move(sold, sandbox.EntryReversal, 36000),
			move(sold, sandbox.EntryRefund, 36000), move(sent, sandbox.EntryRefund, 18000),
		}},
	}
	c := &crowd{opts: Options{Banks: banks, Chaos: 0.05}, tally: newTally()}
	m, err := c.money(t.Context(), []placed{{order: sold.String(), status: "CONFIRMED"}, {order: sent.String(), status: "REFUNDED"}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]StateMoney{
		"CONFIRMED": {Orders: 1, Charged: 72000, Refunded: 36000, Kept: 36000}, "REFUNDED": {Orders: 1, Charged: 18000, Refunded: 18000},
	}
	if !maps.Equal(m.ByState, want) || m.Total != (StateMoney{Orders: 2, Charged: 90000, Refunded: 54000, Kept: 36000}) || m.Faults["late"] != 4 {
		t.Errorf("%+v", m)
	}
	var text bytes.Buffer
	Report{Money: m, Undecided: 3}.Print(&text)
	for _, part := range []string{"3 fans left before", "CONFIRMED", "charged 720.00 BRL  refunded 360.00 BRL  kept 360.00 BRL", "late             4"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("%q is not in\n%s", part, text.String())
		}
	}
}

// The banks get back the script that they had.
func TestUpsetIsUndone(t *testing.T) {
	b := &oddBank{name: "a", script: sandbox.Script{LatencyMS: 7}}
	c := &crowd{opts: Options{Banks: []Bank{b}, Chaos: 0.2}}
	restore, err := c.upset(t.Context())
	if err != nil || b.script.Rate != 0.2 {
		t.Errorf("%+v, %v", b.script, err)
	}
	if err := restore(t.Context()); err != nil || b.script.Rate != 0 || b.script.LatencyMS != 7 {
		t.Errorf("afterwards %+v, %v", b.script, err)
	}
}

func TestABanksErrorsAreNotOurs(t *testing.T) {
	tally := newTally()
	page := &problem{Status: http.StatusInternalServerError, Code: paymentPage}
	tally.refusedWith(page)
	if r := tally.report(); r.Errors5xx != 0 || r.ErrorsByCode[paymentPage] != 1 {
		t.Errorf("%+v", r)
	}
	if r := (result{err: errUndecided}).end(t.Context()); r.ending != undecided {
		t.Errorf("ended %s", r.ending)
	}
	for rate, odd := range map[float64]bool{0: false, 0.05: true} {
		f := &fan{crowd: &crowd{opts: Options{Chaos: rate}}}
		if f.oddPage(page) != odd || f.oddPage(errors.New("no button")) {
			t.Errorf("at rate %v", rate)
		}
	}
}
