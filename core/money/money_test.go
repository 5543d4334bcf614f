package money

import "testing"

func TestAmountsAreWrittenWithTheirCurrencysDecimals(t *testing.T) {
	for _, c := range []struct {
		amount Amount
		want   string
	}{
		{Amount{18000, "BRL"}, "180.00 BRL"},
		{Amount{5, "USD"}, "0.05 USD"},
		{Amount{-5, "EUR"}, "-0.05 EUR"},
		{Amount{-12345, "BRL"}, "-123.45 BRL"},
		{Amount{1500, "JPY"}, "1500 JPY"}, // no minor unit: never multiplied by 100
		{Amount{1500, "KWD"}, "1.500 KWD"},
		{Amount{0, "BRL"}, "0.00 BRL"},
	} {
		if got := c.amount.String(); got != c.want {
			t.Errorf("%+v is written %q, want %q", c.amount, got, c.want)
		}
	}
}

func TestExponentRefusesUnknownCurrencies(t *testing.T) {
	for _, code := range []string{"", "brl", "XXX", "BITCOIN"} {
		if _, ok := Exponent(code); ok {
			t.Errorf("%q is sold in", code)
		}
	}
}
