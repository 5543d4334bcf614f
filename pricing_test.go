package main

import (
	"fmt"
	"testing"
)

func TestPricesAndFeesAsTyped(t *testing.T) {
	if got, err := parsePrices("180.00, 0.5,7", "BRL"); err != nil || fmt.Sprint(got) != "[18000 50 700]" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := parsePrices("5000", "JPY"); err != nil || fmt.Sprint(got) != "[5000]" {
		t.Errorf("%v, %v", got, err)
	}
	for _, wrong := range []string{"", "1.005", "-1", "x", "1e3", "1.", "99999999999999"} {
		if got, err := parsePrices(wrong, "BRL"); err == nil {
			t.Errorf("%q is read as %v", wrong, got)
		}
	}
	rules, err := parsePricing("Serviço = 10%, Entrega=9.90/order,Seguro=1.5", "7.25%", "BRL")
	if err == nil {
		t.Errorf("blanks before a rate: %v", rules.Fees)
	}
	rules, err = parsePricing("Serviço=10%, Entrega=9.90/order,Seguro=1.5", "7.25%", "BRL")
	if want := "[{Serviço 0 0 1000} {Entrega 0 990 0} {Seguro 150 0 0}]"; err != nil || fmt.Sprint(rules.Fees) != want || rules.TaxPercent != 725 {
		t.Errorf("%v, %v", rules.Fees, err)
	}
	for _, wrong := range [][2]string{{"x", "0"}, {"x=", "0"}, {"=1", "0"}, {"x=0", "0"}, {"x=101%", "0"}, {"x=1/ticket", "0"}, {"", "200"}, {"", ""}, {"x=1.005", "0"}} {
		if rules, err := parsePricing(wrong[0], wrong[1], "BRL"); err == nil {
			t.Errorf("%q is read as %+v", wrong, rules.Fees)
		}
	}
}
