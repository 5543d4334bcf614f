package money

import (
	"strconv"
	"strings"

	"plateia/core/fault"
)

// ParseDecimal reads a plain decimal number ("12", "12.5") into units of 10^-places, exactly: digits, one point
// at most, no sign, no exponent, at most so many decimals. fault.Invalid for anything else, and above Most.
func ParseDecimal(text string, places int) (int64, error) {
	whole, fraction, point := strings.Cut(text, ".")
	if whole == "" || point && fraction == "" || !digits(whole) || !digits(fraction) {
		return 0, fault.New(fault.Invalid, "%q is not a decimal number", text)
	}
	if len(fraction) > places {
		return 0, fault.New(fault.Invalid, "%q has more than %d decimals", text, places)
	}
	units, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	if err != nil || units > Most {
		return 0, fault.New(fault.Invalid, "%q is too large", text)
	}
	return units, nil
}

func digits(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// Parse reads a decimal amount of a currency, as ParseDecimal: "180.00" BRL, "5000" JPY, "1.500" KWD.
func Parse(text, currency string) (Amount, error) {
	exponent, known := Exponent(currency)
	if !known {
		return Amount{}, fault.New(fault.Invalid, "currency %q is not sold in", currency)
	}
	minor, err := ParseDecimal(text, exponent)
	return Amount{Minor: minor, Currency: currency}, err
}

// Decimal is the plain decimal form with all of the currency's places, "180.00", as Parse reads it.
func (a Amount) Decimal() string {
	exponent := exponents[a.Currency]
	sign, number := "", strconv.FormatInt(a.Minor, 10)
	if a.Minor < 0 {
		sign, number = "-", number[1:]
	}
	if exponent == 0 {
		return sign + number
	}
	if missing := exponent + 1 - len(number); missing > 0 {
		number = strings.Repeat("0", missing) + number
	}
	at := len(number) - exponent
	return sign + number[:at] + "." + number[at:]
}
