package sandbox

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"plateia/core/money"
	"plateia/core/payment"
)

func (r *rig) page(i payment.Intent, accept string) (*http.Response, string) {
	r.t.Helper()
	client := &http.Client{}
	defer client.CloseIdleConnections()
	req, _ := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.front.URL+i.ActionURL, nil)
	req.Header.Set("Accept-Language", accept)
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp, string(body)
}

func TestPageSpeaksTheFansLanguage(t *testing.T) {
	r := newRig(t)
	i := r.create()
	for accept, want := range map[string][]string{
		"pt-BR,pt;q=0.9,en;q=0.8": {`lang="pt-BR"`, "Aprovar pagamento", "R$\u00a0360,00"},
		"es-419":                  {`lang="es"`, "Aprobar el pago", "360,00\u00a0R$"},
		"de,en-US;q=0.7":          {`lang="en"`, "Approve payment", "R$360.00"},
		"":                        {`lang="en"`},
	} {
		resp, body := r.page(i, accept)
		for _, text := range want {
			if resp.StatusCode != http.StatusOK || !strings.Contains(body, text) {
				t.Errorf("Accept-Language %q: %s, no %q", accept, resp.Status, text)
			}
		}
		if strings.Contains(body, "http://") || strings.Contains(body, "https://") || strings.Contains(body, "<script") {
			t.Error("the page talks to somebody else or runs a script")
		}
	}
}

func TestPageSaysHowLongOneCanPay(t *testing.T) {
	r := newRig(t)
	i := r.create()
	left := i.ExpiresAt.Sub(r.clock.Now()).Truncate(time.Minute)
	for _, c := range []struct {
		pass time.Duration
		want string
	}{{0, strconv.Itoa(int(left/time.Minute)) + " min ("}, {left - time.Minute - time.Second, "1 min ("}, {time.Minute, "&lt; 1 min ("}} {
		r.clock.Advance(c.pass)
		if _, body := r.page(i, "en"); !strings.Contains(body, "<dd>"+c.want) {
			t.Errorf("no %q in:\n%s", c.want, body)
		}
	}
}

func TestPageAfterTheEnd(t *testing.T) {
	r := newRig(t)
	paid, refused, late, slow := r.create(), r.create(), r.create(), r.create()
	r.press(paid, "approve")
	r.press(refused, "decline")
	r.press(slow, "slow")
	if _, body := r.page(slow, "en"); !strings.Contains(body, `http-equiv="refresh"`) {
		t.Error("the waiting page does not renew itself")
	}
	r.clock.Advance(10 * time.Minute)
	for want, i := range map[string]payment.Intent{"Paid.": paid, "declined": refused, "has ended": late} {
		_, body := r.page(i, "en")
		if !strings.Contains(body, want) || strings.Contains(body, "<form") || !strings.Contains(body, `href="/pay/1"`) {
			t.Errorf("no %q, a form, or no way back in:\n%s", want, body)
		}
	}
	if resp := r.press(late, "approve"); resp.StatusCode != http.StatusOK {
		t.Errorf("approving too late: %s, want a page that says so", resp.Status)
	}
}

func TestPageRefusesOtherOutcomesAndReferences(t *testing.T) {
	r := newRig(t)
	i := r.create()
	if resp := r.press(i, "free"); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("unknown outcome: %s", resp.Status)
	}
	i.ActionURL += "0"
	if resp, _ := r.page(i, "en"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("unknown reference: %s", resp.Status)
	}
}

func TestPageLetsTheFormReturnToTheShop(t *testing.T) {
	r := newRig(t)
	req := r.request()
	req.ReturnURL = "https://shop.example/pay/7?x=1"
	i, err := r.provider.CreateIntent(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	resp, _ := r.page(i, "en")
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.HasSuffix(csp, "form-action 'self' https://shop.example") {
		t.Errorf("policy %q", csp)
	}
}

func TestDisplay(t *testing.T) {
	for _, c := range []struct {
		minor         int64
		currency, lan string
		want          string
	}{
		{0, "BRL", "en", "R$0.00"}, {5, "BRL", "pt-BR", "R$\u00a00,05"}, {123456789, "BRL", "pt-BR", "R$\u00a01.234.567,89"},
		{1234, "JPY", "en", "¥1,234"}, {12345, "KWD", "en", "KWD\u00a012.345"}, {100000, "USD", "en", "$1,000.00"},
		{100000, "USD", "pt-BR", "US$\u00a01.000,00"}, {151800, "BRL", "es", "1518,00\u00a0R$"}, {1227700, "BRL", "es", "12.277,00\u00a0R$"}, {99, "GBP", "es", "0,99\u00a0GBP"},
	} {
		if got := display(money.Amount{Minor: c.minor, Currency: c.currency}, c.lan); got != c.want {
			t.Errorf("%d %s in %s: %q, want %q", c.minor, c.currency, c.lan, got, c.want)
		}
	}
}

func TestPageThatAsksForOneMoreStep(t *testing.T) {
	r := newRig(t)
	yes, no := r.create(), r.create()
	for _, i := range []payment.Intent{yes, no} {
		if resp := r.press(i, "step"); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != i.ActionURL {
			t.Errorf("step answered %s to %q", resp.Status, resp.Header.Get("Location"))
		}
		if _, body := r.page(i, "es"); !strings.Contains(body, "Tu banco te pide que confirmes") || strings.Contains(body, `value="approve"`) {
			t.Errorf("not the second page:\n%s", body)
		}
		if got := r.status(i); got != payment.Pending {
			t.Errorf("while the bank asks: %s", got)
		}
	}
	r.press(yes, "confirm")
	r.press(no, "decline")
	if a, b := r.status(yes), r.status(no); a != payment.Captured || b != payment.Declined {
		t.Errorf("confirmed is %s, refused is %s", a, b)
	}
}

func TestPageOfABankThatDoesNotAnswerAndOfAFanWhoLeaves(t *testing.T) {
	r := newRig(t)
	silent, left := r.create(), r.create()
	r.press(silent, "timeout")
	if after, err := r.provider.Cancel(t.Context(), silent.Reference); err != nil || after.Status != payment.Pending {
		t.Errorf("a bank that is at work was stopped: %+v, %v", after, err)
	}
	if resp := r.press(left, "leave"); resp.StatusCode != http.StatusSeeOther || r.status(left) != payment.Cancelled {
		t.Errorf("leaving answered %s, %s", resp.Status, r.status(left))
	}
	r.clock.Advance(5 * time.Minute)
	if got := r.status(silent); got != payment.Cancelled {
		t.Errorf("after its time: %s", got)
	}
}

func TestEveryTextIsThereInEveryLanguage(t *testing.T) {
	for _, lang := range languages {
		for key := range texts["en"] {
			if texts[lang.Tag][key] == "" {
				t.Errorf("%s: no %q", lang.Tag, key)
			}
		}
		if len(texts[lang.Tag]) != len(texts["en"]) {
			t.Errorf("%s has other texts", lang.Tag)
		}
	}
}
