package sandbox

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/payment"
)

// disturb sets a script whose pauses are short.
func (r *rig) disturb(s Script) {
	r.t.Helper()
	s.PauseMS = 100
	if err := r.provider.Disturb(r.t.Context(), s); err != nil {
		r.t.Fatal(err)
	}
}

// troubled makes a payment that meets faults.
func (r *rig) troubled(faults ...Fault) payment.Intent {
	r.t.Helper()
	req := r.request()
	r.disturb(Script{Orders: map[id.ID][]Fault{req.Order: faults}})
	i, err := r.provider.CreateIntent(r.t.Context(), req)
	if err != nil {
		r.t.Fatal(err)
	}
	return i
}

func (r *rig) counted(f Fault) int {
	r.t.Helper()
	_, done, err := r.provider.Disturbed(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return done[f]
}

func TestChaosIsTheSameUnderTheSameSeed(t *testing.T) {
	draw := func(seed uint64, rate float64, among ...Fault) map[Fault]int {
		c, counts := newChaos(), map[Fault]int{}
		c.change(Script{Seed: seed, Rate: rate, Faults: among})
		for n := range 4000 {
			for _, f := range c.choose(n, id.New(), "") {
				counts[f]++
			}
		}
		return counts
	}
	a := draw(7, 0.05)
	if !maps.Equal(a, draw(7, 0.05)) {
		t.Error("the same seed drew other faults")
	}
	if maps.Equal(a, draw(8, 0.05)) {
		t.Error("another seed drew the same faults")
	}
	for _, f := range Faults() {
		if a[f] < 120 || a[f] > 280 {
			t.Errorf("%s happened %d times in 4000 at 5 %%", f, a[f])
		}
	}
	if only := draw(7, 0.05, Late); len(only) != 1 || only[Late] != a[Late] {
		t.Errorf("only late was asked for: %v, with all it was %d", only, a[Late])
	}
	if none := draw(7, 0); len(none) != 0 {
		t.Errorf("nothing was asked for: %v", none)
	}
	c := newChaos()
	if got := c.choose(1, id.New(), "two seats [chaos:late, drop,nonsense]"); !slices.Equal(got, []Fault{Late, Drop}) {
		t.Errorf("in the description: %v", got)
	}
}

func TestScriptIsChecked(t *testing.T) {
	r := newRig(t)
	for _, s := range []Script{{Rate: 1.5}, {Rate: -1}, {PauseMS: -1}, {Faults: []Fault{"rain"}}, {LatencyMS: 1 << 30}} {
		if err := r.provider.Disturb(t.Context(), s); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", s, err)
		}
	}
	stranger := NewProvider(ProviderOptions{BaseURL: r.front.URL})
	defer stranger.Close()
	if err := stranger.TakeDown(t.Context(), time.Minute); fault.CodeOf(err) != fault.ProviderDown {
		t.Errorf("an outage without the merchant's key: %v", err)
	}
}

// Whatever happens to a webhook on its way, one that verifies comes in the end, and bad ones never verify.
func TestWebhookFaults(t *testing.T) {
	for f, bad := range map[Fault]int{Drop: 0, Signature: 1, Stale: 1, Delay: 0} {
		t.Run(string(f), func(t *testing.T) {
			r := newRig(t, slices.Repeat([]int{http.StatusUnauthorized}, bad)...) // as a receiver answers
			i := r.troubled(f)
			r.press(i, "approve")
			for n := 0; ; n++ {
				events, err := r.provider.VerifyWebhook(pair(r.hook()))
				if err == nil && n == bad && events[0].Reference == i.Reference {
					break
				}
				if fault.CodeOf(err) != fault.Unauthenticated || n > bad {
					t.Fatalf("delivery %d: %+v, %v", n, events, err)
				}
			}
			if r.counted(f) == 0 {
				t.Error("not counted")
			}
		})
	}
}

func TestSilenceDuplicateReorder(t *testing.T) {
	r := newRig(t)
	i := r.troubled(Silence)
	r.press(i, "approve")
	j := r.troubled(Duplicate)
	r.press(j, "approve")
	first, again := r.hook(), r.hook()
	if string(first.body) != string(again.body) {
		t.Errorf("told %s and then %s", first.body, again.body)
	}
	if events, err := r.provider.VerifyWebhook(pair(first)); err != nil || events[0].Reference != j.Reference {
		t.Errorf("the silent one was told: %+v, %v", events, err)
	}
	k := r.troubled(Reorder)
	r.press(k, "approve")
	for _, want := range []string{`"type":"intent.captured"`, `"type":"intent.pending"`} {
		if d := r.hook(); !contains(d.body, want) || !contains(d.body, k.Reference) {
			t.Errorf("told %s, want %s", d.body, want)
		}
	}
}

func TestEarlyWebhookIsThereBeforeTheAnswer(t *testing.T) {
	r := newRig(t)
	r.troubled(Early)
	select {
	case d := <-r.hooks.got:
		if !contains(d.body, `"type":"intent.pending"`) {
			t.Errorf("told %s", d.body)
		}
	default:
		t.Error("the answer came first")
	}
}

func TestLateMoneyComesAfterTheEnd(t *testing.T) {
	r := newRig(t)
	i := r.troubled(Late)
	r.press(i, "approve")
	if got := r.status(i); got != payment.Pending {
		t.Errorf("while it waits: %s", got)
	}
	if after, err := r.provider.Cancel(t.Context(), i.Reference); err != nil || after.Status != payment.Cancelled {
		t.Errorf("cancel: %+v, %v", after, err)
	}
	r.clock.Advance(5*time.Minute + 3*time.Second)
	if got := r.status(i); got != payment.Captured {
		t.Errorf("money that was on its way: %s", got)
	}
}

func TestCallsThatWereDoneAndFailed(t *testing.T) {
	r := newRig(t)
	req := r.request()
	r.disturb(Script{Orders: map[id.ID][]Fault{req.Order: {ErrorAfter, NoAnswer, WrongAmount}}})
	impatient := NewProvider(ProviderOptions{BaseURL: r.front.URL, Secrets: testSecrets, Timeout: 300 * time.Millisecond})
	defer impatient.Close()
	i, err := impatient.CreateIntent(t.Context(), req)
	for tries := 1; err != nil; tries++ { // no answer, and then 500; more often where a busy machine takes the time
		if fault.CodeOf(err) != fault.ProviderDown || tries == 100 {
			t.Fatalf("create %d: %v", tries, err)
		}
		i, err = impatient.CreateIntent(t.Context(), req)
	}
	for _, f := range []Fault{NoAnswer, ErrorAfter} {
		if n := r.counted(f); n != 1 {
			t.Errorf("an answer came after %q had happened %d times", f, n)
		}
	}
	if resp := r.press(i, "approve"); resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("pressing: %s", resp.Status)
	}
	after, err := r.provider.Fetch(t.Context(), i.Reference)
	if err != nil || after.Status != payment.Captured || after.Amount.Minor != i.Amount.Minor+100 {
		t.Errorf("afterwards: %+v, %v", after, err)
	}
	entries, err := r.provider.WholeLedger(t.Context())
	if err != nil || len(entries) != 1 || entries[0].Signed() != after.Amount.Minor || entries[0].Key != req.IdempotencyKey {
		t.Errorf("ledger %+v, %v", entries, err)
	}
}

func TestRefundsThatFailLater(t *testing.T) {
	r := newRig(t)
	for f, first := range map[Fault]payment.RefundStatus{RefundFails: payment.RefundPending, RefundReturns: payment.RefundDone} {
		i := r.troubled(f)
		r.press(i, "approve")
		r.hook()
		ask := func(key string) payment.RefundStatus {
			status, err := r.provider.Refund(t.Context(), i.Reference, i.Amount, key)
			if err != nil {
				t.Fatal(err)
			}
			return status
		}
		if got := ask("a" + i.Reference); got != first {
			t.Errorf("%s: at first %s", f, got)
		}
		r.clock.Advance(time.Second)
		if d := r.hook(); !contains(d.body, `"type":"refund.failed"`) {
			t.Errorf("told %s", d.body)
		}
		if got := ask("a" + i.Reference); got != payment.RefundFailed {
			t.Errorf("%s: asked again %s", f, got)
		}
		if got := ask("b" + i.Reference); got != payment.RefundDone {
			t.Errorf("%s: another way %s", f, got)
		}
	}
	balance, kinds := int64(0), map[EntryKind]int{}
	check := func() {
		entries, err := r.provider.WholeLedger(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		balance, kinds = 0, map[EntryKind]int{}
		for _, e := range entries {
			balance += e.Signed()
			kinds[e.Kind]++
		}
	}
	check()
	if balance != 0 || !maps.Equal(kinds, map[EntryKind]int{EntryCapture: 2, EntryRefund: 3, EntryReversal: 1}) {
		t.Errorf("balance %d of %v", balance, kinds)
	}
	r.restart()
	check()
	if balance != 0 || kinds[EntryReversal] != 1 {
		t.Errorf("after a restart balance %d of %v", balance, kinds)
	}
}

func TestOutage(t *testing.T) {
	r := newRig(t)
	i := r.create()
	if err := r.provider.TakeDown(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	impatient := NewProvider(ProviderOptions{BaseURL: r.front.URL, Secrets: testSecrets, Timeout: 200 * time.Millisecond})
	defer impatient.Close()
	if _, err := impatient.Fetch(t.Context(), i.Reference); fault.CodeOf(err) != fault.ProviderDown {
		t.Errorf("during the outage: %v", err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := r.provider.Refund(context.WithoutCancel(t.Context()), i.Reference, money.Amount{Minor: 1, Currency: "BRL"}, "k")
		waiting <- err
	}()
	if err := r.provider.TakeDown(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	<-waiting // answered or cut, but not left
	if got := r.status(i); got != payment.Pending {
		t.Errorf("after the outage: %s", got)
	}
}

func TestLatency(t *testing.T) {
	r := newRig(t)
	r.disturb(Script{LatencyMS: 150})
	began := time.Now()
	r.create()
	if took := time.Since(began); took < 150*time.Millisecond {
		t.Errorf("answered after %v", took)
	}
}
