// Package ledger is the double-entry book of every order's money.
//
// Whatever moves money is one posting whose entries sum to zero, written in the transaction that
// changes the rows it is about. A posting is named by what happened (its kind, and the id of
// the attempt, order or refund), so that the same thing posts once however often it
// is told. Amounts are signed: what we have (at providers) counts up, what we owe
// and what we have earned counts down.
//
// Invariants, which `plateia verify` asks of the database:
//
//   - every posting sums to zero, in one currency;
//   - the deposits of an order are zero, unless a person has to look at it (REVIEW): captured money was
//     sold for or is on its way back in the same transaction;
//   - refunds payable are the refunds that are not done, those that failed included;
//   - what is at a provider is what was captured less what was paid back.
package ledger

import (
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
)

// Account is an account of the book.
type Account string

const (
	Deposits       Account = "deposits" // captured, not sold for yet
	Revenue        Account = "revenue"  // prices less discounts, net of tax
	Fees           Account = "fees"     // net of tax
	Tax            Account = "tax"
	RefundsPayable Account = "refunds_payable"
)

// Provider is the account of the money that a provider holds for us.
func Provider(name string) Account { return Account("provider:" + name) }

// Kind is what happened.
type Kind string

const (
	Captured     Kind = "capture"       // source: the attempt
	Sold         Kind = "sale"          // source: the order
	Returned     Kind = "return"        // source: the refund; of something that was sold
	SentBack     Kind = "send_back"     // source: the refund; of money that was never sold for
	Refunded     Kind = "refund"        // source: the refund
	RefundFailed Kind = "refund_failed" // source: the refund; after it was done
)

// Entry moves one account by an amount of the posting's currency, minor units.
type Entry struct {
	Account Account
	Amount  int64
}

// Posting is one thing that happened. Kind, Source and Round name it.
type Posting struct {
	Kind     Kind
	Source   id.ID
	Round    int // of a refund: how often it had come back before
	Order    id.ID
	Currency string
	Entries  []Entry // without zeros
}

// Balanced reports whether the entries sum to zero.
func (p Posting) Balanced() bool {
	var sum int64
	for _, e := range p.Entries {
		sum += e.Amount
	}
	return sum == 0
}

// with adds an entry; zeros are left out.
func (p Posting) with(account Account, amount int64) Posting {
	if amount != 0 {
		p.Entries = append(p.Entries, Entry{account, amount})
	}
	return p
}

// parts adds an amount's parts, all with the given sign.
func (p Posting) parts(sign int64, parts order.Parts) Posting {
	return p.with(Revenue, sign*parts.Revenue).with(Fees, sign*parts.Fees).with(Tax, sign*parts.Tax)
}

// Capture is a provider's taking of a fan's money, which may be another amount than was asked for.
func Capture(a payment.Attempt, captured money.Amount) Posting {
	p := Posting{Kind: Captured, Source: a.ID, Order: a.Order, Currency: captured.Currency}
	return p.with(Provider(a.Provider), captured.Minor).with(Deposits, -captured.Minor)
}

// Sale turns an order's deposit into what it was for.
func Sale(o order.Order) Posting {
	p := Posting{Kind: Sold, Source: o.ID, Order: o.ID, Currency: o.Currency}
	return p.with(Deposits, o.Total).parts(-1, order.AllParts(o.Lines))
}

// Return owes a fan the parts of what is given back; the refund's amount is their total.
func Return(r payment.Refund, parts order.Parts) Posting {
	return ofRefund(Returned, r).parts(1, parts).with(RefundsPayable, -parts.Total())
}

// SendBack owes a fan money that has not bought anything.
func SendBack(r payment.Refund) Posting {
	return ofRefund(SentBack, r).with(Deposits, r.Amount.Minor).with(RefundsPayable, -r.Amount.Minor)
}

// Refund is a provider's having paid a fan back.
func Refund(r payment.Refund, provider string) Posting {
	return ofRefund(Refunded, r).with(RefundsPayable, r.Amount.Minor).with(Provider(provider), -r.Amount.Minor)
}

// FailRefund undoes Refund of the same round: the money has come back to the provider.
func FailRefund(r payment.Refund, provider string) Posting {
	return ofRefund(RefundFailed, r).with(RefundsPayable, -r.Amount.Minor).with(Provider(provider), r.Amount.Minor)
}

func ofRefund(kind Kind, r payment.Refund) Posting {
	return Posting{Kind: kind, Source: r.ID, Round: r.Round, Order: r.Order, Currency: r.Amount.Currency}
}
