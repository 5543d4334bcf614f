// Package money is amounts of money: integer minor units and an ISO 4217 code.
package money

// Amount is Minor minor units of Currency (cents of BRL, whole JPY).
type Amount struct {
	Minor    int64  `json:"amount"`
	Currency string `json:"currency"`
}

// exponents lists the currencies Plateia sells in (ISO 4217). Anything else is refused.
var exponents = map[string]int{
	"BRL": 2, "USD": 2, "EUR": 2, "GBP": 2, "ARS": 2, "CLP": 0, "MXN": 2, "JPY": 0, "KRW": 0,
	"BHD": 3, "KWD": 3, "CAD": 2, "AUD": 2, "CHF": 2, "UYU": 2, "COP": 2, "PEN": 2, "PYG": 0,
}

// Exponent returns the number of decimal places of a currency, and whether Plateia knows it.
func Exponent(currency string) (int, bool) {
	e, ok := exponents[currency]
	return e, ok
}

// String is the plain decimal form with the currency, "180.00 BRL": for logs and receipts.
// Pages format for their reader's language instead.
func (a Amount) String() string { return a.Decimal() + " " + a.Currency }
