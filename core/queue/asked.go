package queue

// Asked is what somebody brings along who wants a place in a line, besides being signed in.
type Asked struct {
	Challenge string // the answer to a challenge for people; "" without one
	Code      string // a presale code; "" without one
	RemoteIP  string // where the request came from, for the challenge alone; never stored
}
