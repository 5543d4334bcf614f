package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"

	"plateia/core/fault"
)

const headerRequestID = "X-Request-Id"

// Keys of Fiber's per-request storage.
const (
	localID    = "plateia.id"
	localBody  = "plateia.body"
	localRoute = "plateia.route"
	localCode  = "plateia.code"
)

// drainLimit is how much of an over-long body is read and thrown away, so that
// the sender gets to read its 413 instead of a reset connection.
const drainLimit = 16 << 20

// enter is what every request passes first: id, recover, slot, body, access log.
func (a *API) enter(fc *fiber.Ctx) (err error) {
	start := time.Now()
	prepare(fc)
	defer a.logAccess(fc, start)
	defer func() {
		if cause := recover(); cause != nil {
			a.Logger.Error("panic", "requestId", requestID(fc), "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
			err = a.fail(fc, fault.New(fault.Internal, "something went wrong on our side"))
		}
	}()
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	default:
		return a.fail(fc, fault.New(fault.Busy, "too many requests at the moment").After(time.Second))
	}
	body, err := a.readBody(fc)
	if err != nil {
		fc.Context().SetConnectionClose()
		return a.fail(fc, err)
	}
	fc.Locals(localBody, body)
	if err := fc.Next(); err != nil {
		return a.frameError(fc, err)
	}
	return nil
}

// prepare gives the request its id and the answer the headers that all have.
func prepare(fc *fiber.Ctx) {
	if fc.Locals(localID) != nil {
		return
	}
	id := utils.CopyString(fc.Get(headerRequestID))
	if !wellFormedRequestID(id) {
		id = newRequestID()
	}
	fc.Locals(localID, id)
	fc.Set(headerRequestID, id)
	fc.Set(fiber.HeaderCacheControl, "no-store")
	fc.Set(fiber.HeaderXContentTypeOptions, "nosniff")
}

// readBody returns a copy of the body. One over the limit is drained, up to a
// point, and refused; the limit holds for chunked bodies too.
func (a *API) readBody(fc *fiber.Ctx) ([]byte, error) {
	req := fc.Request()
	if !req.IsBodyStream() {
		if len(req.Body()) > a.opts.BodyLimit {
			return nil, tooLarge(a.opts.BodyLimit)
		}
		return bytes.Clone(req.Body()), nil
	}
	stream := req.BodyStream()
	body, err := io.ReadAll(io.LimitReader(stream, int64(a.opts.BodyLimit)+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the request's body did not arrive whole")
	}
	if len(body) > a.opts.BodyLimit {
		_, _ = io.CopyN(io.Discard, stream, drainLimit)
		return nil, tooLarge(a.opts.BodyLimit)
	}
	return body, nil
}

// handler runs one route.
func (a *API) handler(r route) fiber.Handler {
	timeout := cmp.Or(r.timeout, a.opts.Timeout)
	return func(fc *fiber.Ctx) error {
		fc.Locals(localRoute, r.path)
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		c := &call{fc: fc, ctx: ctx, id: requestID(fc), now: a.opts.Now()}
		c.body, _ = fc.Locals(localBody).([]byte)
		err := a.admit(r, c)
		if err == nil {
			err = inTime(r.method, r.do(c))
		}
		if r.note != nil {
			r.note(err)
		}
		if err != nil {
			return a.fail(fc, err)
		}
		return nil
	}
}

// inTime turns a deadline that passed, the request's or a shorter one of what it asked, into an answer that says what
// it means: of a change, that nobody knows. A read changes nothing that its sender could want to know, so it is only to
// be asked again.
func inTime(method string, err error) error {
	var f *fault.Error
	late := !errors.As(err, &f) && errors.Is(err, context.DeadlineExceeded)
	switch {
	case method == http.MethodGet && (late || fault.CodeOf(err) == fault.OutcomeUnknown):
		return fault.Wrap(err, fault.Busy, "this took too long; try again").After(time.Second)
	case late:
		return fault.Wrap(err, fault.OutcomeUnknown, "this took too long; repeat the request with the same key").After(time.Second)
	}
	return err
}

// logAccess writes one line per request: no path parameters, query, address,
// header or body, so that no secret and no personal data can be in it.
func (a *API) logAccess(fc *fiber.Ctx, start time.Time) {
	if !a.Logger.Enabled(context.Background(), a.opts.AccessLevel) {
		return
	}
	route, _ := fc.Locals(localRoute).(string)
	if route == "" {
		route = "-"
	}
	code, _ := fc.Locals(localCode).(fault.Code)
	a.Logger.Log(context.Background(), a.opts.AccessLevel, "request",
		"requestId", requestID(fc), "method", methodOf(fc), "route", route,
		"status", fc.Response().StatusCode(), "code", string(code),
		"bytes", len(fc.Response().Body()), "took", time.Since(start).Round(time.Microsecond))
}

func noteCode(fc *fiber.Ctx, code fault.Code) { fc.Locals(localCode, code) }

func requestID(fc *fiber.Ctx) string {
	id, _ := fc.Locals(localID).(string)
	return id
}

// methodOf is the method when it is one of HTTP's own, else "other": a log line is no place for free text.
func methodOf(fc *fiber.Ctx) string {
	switch m := fc.Method(); m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodTrace, http.MethodConnect:
		return utils.CopyString(m)
	}
	return "other"
}

func newRequestID() string {
	var b [12]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// wellFormedRequestID accepts what proxies make: 8 to 64 letters, digits and dashes.
func wellFormedRequestID(s string) bool {
	if len(s) < 8 || len(s) > 64 {
		return false
	}
	for _, b := range []byte(s) {
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
		digit := b >= '0' && b <= '9'
		if !letter && !digit && b != '-' {
			return false
		}
	}
	return true
}
