package money

import (
	"math"
	"strings"
	"testing"

	"plateia/core/fault"
)

// Case 27: every currency has its own number of decimals, and none is ever assumed.
func TestAmountsAreReadWithTheirCurrencysDecimals(t *testing.T) {
	for _, c := range []struct {
		text, currency string
		minor          int64
	}{
		{"5000", "JPY", 5000}, {"180.00", "BRL", 18000}, {"180.5", "BRL", 18050}, {"180", "BRL", 18000}, {"1.5", "KWD", 1500}, {"0.07", "EUR", 7},
	} {
		if got, err := Parse(c.text, c.currency); err != nil || got != (Amount{c.minor, c.currency}) {
			t.Errorf("%s %s is read as %v, %v", c.text, c.currency, got, err)
		}
	}
	for _, c := range [][2]string{
		{"5000.0", "JPY"}, {"1.005", "BRL"}, {"", "BRL"}, {".", "BRL"}, {".5", "BRL"}, {"5.", "BRL"}, {"-1", "BRL"}, {"+1", "BRL"}, {"1e3", "BRL"},
		{" 1", "BRL"}, {"1,5", "BRL"}, {"١", "BRL"}, {"10000000000.01", "BRL"}, {strings.Repeat("9", 40), "BRL"}, {"1", "XXX"},
	} {
		if got, err := Parse(c[0], c[1]); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q %s is read as %v, %v", c[0], c[1], got, err)
		}
	}
	if got := (Amount{math.MinInt64, "BRL"}).Decimal(); got != "-92233720368547758.08" {
		t.Errorf("the least amount is written %s", got)
	}
}

// What is read is written the same, up to zeros; what is written is read the same.
func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{"180.00", "0.5", "007", "1.2.3", "-1", "1e9", "", ".", "99999999999999999999"} {
		f.Add(seed, "BRL")
		f.Add(seed, "JPY")
		f.Add(seed, "KWD")
	}
	f.Fuzz(func(t *testing.T, text, currency string) {
		a, err := Parse(text, currency)
		if err != nil {
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		written := a.Decimal()
		again, err := Parse(written, currency)
		if err != nil || again != a || a.Minor < 0 || a.Minor > Most {
			t.Fatalf("%q is %+v, written %q, read as %+v, %v", text, a, written, again, err)
		}
		whole, fraction, _ := strings.Cut(text, ".")
		wantWhole, wantFraction, _ := strings.Cut(written, ".")
		if strings.TrimLeft(whole, "0") != strings.TrimLeft(wantWhole, "0") || strings.TrimRight(fraction, "0") != strings.TrimRight(wantFraction, "0") {
			t.Fatalf("%q is written %q", text, written)
		}
	})
}
