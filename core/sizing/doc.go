// Package sizing computes what an on-sale asks of an installation, before there
// is one: how many fans may be let in per second, how long selling out takes, and
// what reaches the origin, the edge and the payment provider meanwhile.
//
// Everything rests on Little's law, L = λ·W: the number of things inside a system
// is the rate at which they enter times the time each stays. So the door lets in
//
//	λ = inside / checkout          [fans/s = fans / s]
//
// fans per second when each stays for the checkout time and only so many may be
// inside, and the payments in flight are orders/s times the provider's latency.
//
//	joins/s              = fans / arrival
//	requests/s, no queue = joins/s · RequestsPerVisit
//	polls/s              = fans / poll
//	orders               = ⌈seats / seats per order⌉, at most ⌊fans · conversion⌋
//	admits               = ⌈orders / conversion⌉, at most all fans
//	admits/s             = min(inside / checkout, joins/s)
//	seconds to sell out  = admits / (admits/s)
//	orders/s             = admits/s · conversion
//	payments in flight   = orders/s · provider latency
//	inside               = admits/s · checkout
//	map requests/s       = inside · MapRequestsPerSecond
//
// Times are seconds, money does not occur, GB and MB are decimal. The figures are
// steady rates: the first people inside are let in at the same rate as the last.
package sizing
