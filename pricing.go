package main

import (
	"errors"
	"fmt"
	"strings"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/money"
)

// parsePrices reads decimal amounts into minor units, exactly.
func parsePrices(text, currency string) ([]int64, error) {
	var out []int64
	for _, part := range list(text) {
		amount, err := money.Parse(part, currency)
		if err != nil {
			return nil, errors.New(fault.From(err).Text)
		}
		out = append(out, amount.Minor)
	}
	if len(out) == 0 {
		return nil, errors.New("at least one amount")
	}
	return out, nil
}

// parsePricing is the default rules with the fees and the tax that an operator has typed.
func parsePricing(fees, tax, currency string) (event.Rules, error) {
	rules := event.DefaultRules()
	for _, part := range list(fees) {
		fee, err := parseFee(part, currency)
		if err != nil {
			return rules, fmt.Errorf("--fees: %w", err)
		}
		rules.Fees = append(rules.Fees, fee)
	}
	rate, err := parseRate(tax)
	if err != nil {
		return rules, fmt.Errorf("--tax: %w", err)
	}
	rules.TaxPercent = rate
	if err := rules.CheckPricing(); err != nil {
		return rules, errors.New(fault.From(err).Text)
	}
	return rules, nil
}

// parseFee reads "Service=2.50", "Delivery=9.90/order" or "Service=10%".
func parseFee(text, currency string) (event.Fee, error) {
	name, measure, found := strings.Cut(text, "=")
	fee := event.Fee{Name: strings.TrimSpace(name)}
	if !found {
		return fee, fmt.Errorf("%q is not NAME=AMOUNT, NAME=AMOUNT/order or NAME=RATE%%", text)
	}
	if rate, percent := strings.CutSuffix(measure, "%"); percent {
		var err error
		fee.Percent, err = parseRate(rate)
		return fee, err
	}
	value, perOrder := strings.CutSuffix(measure, "/order")
	amount, err := money.Parse(value, currency)
	if err != nil {
		return fee, errors.New(fault.From(err).Text)
	}
	if perOrder {
		fee.PerOrder = amount.Minor
	} else {
		fee.PerTicket = amount.Minor
	}
	return fee, nil
}

// parseRate reads a percentage, with or without its sign, into hundredths of a percent.
func parseRate(text string) (int, error) {
	rate, err := money.ParseDecimal(strings.TrimSuffix(text, "%"), 2)
	if err != nil {
		return 0, errors.New(fault.From(err).Text)
	}
	if rate > event.HundredPercent {
		return 0, fmt.Errorf("%q is more than 100 %%", text)
	}
	return int(rate), nil
}
