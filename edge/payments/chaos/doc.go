// Package chaos is tests only: whether money and tickets agree when the payment provider does everything wrong and
// the checkout process is killed between the charge and its commit.
//
// `make chaos-payments` sells 10,000 orders through two sandbox providers with every fault at 5 %, while the process is
// killed twenty times; then it compares tickets, our book and the providers' ledgers. A short form runs with the other tests.
package chaos
