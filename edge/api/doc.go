// Package api is the HTTP API (v1): Fiber v2 in front of the domain.
//
// How a request travels: request id and recover → one slot of a bounded number
// → the body, copied and bounded → deadline → credential the route names →
// Idempotency-Key where the route needs one → handler → JSON or problem+json.
//
// Two facts of Fiber v2 shape this package. It reuses a request's memory once
// the handler has returned, so everything a handler sees is copied into a call
// first. And it does not notice that the client has left, so every call
// carries a deadline of its own.
//
// A handler takes a *call, uses core types and returns an error; the one table
// in problem.go turns a fault's code into a status. Routes are values (route),
// listed per file and registered in one place, so that edge/openapi.yaml can
// be compared with them.
package api
