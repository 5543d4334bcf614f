package api

import (
	"slices"
	"time"
)

// credential is what a route asks of the Authorization header.
type credential uint8

const (
	public     credential = iota
	bySession             // an account session: who is signed in
	byAccess              // an access token: the right to hold seats of the event in the path
	byTicket              // a queue ticket: a place in a line
	byOperator            // the operators' key
)

// route is one operation. Path parameters are written :name.
type route struct {
	method  string
	path    string
	needs   credential
	repeat  bool          // takes an Idempotency-Key; the call carries it
	raw     bool          // the body is not JSON; the handler reads call.body
	timeout time.Duration // zero: Options.Timeout
	do      func(*call) error
	note    func(error) // hears how each call ended; nil: nobody does
}

// routes is everything this API answers, in the order it is tried.
func (a *API) routes() []route {
	return slices.Concat(
		a.probeRoutes(),
		a.findingRoutes(),
		a.viewRoutes(),
		a.eventRoutes(),
		a.partnerRoutes(),
		a.accountRoutes(),
		a.lineRoutes(),
		a.drawRoutes(),
		a.holdRoutes(),
		a.orderRoutes(),
		a.ticketRoutes(),
		a.webhookRoutes(),
		a.opsRoutes(),
		a.roomRoutes(),
		a.partnerOpsRoutes(),
	)
}
