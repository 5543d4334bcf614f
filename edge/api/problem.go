package api

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"plateia/core/fault"
	"plateia/edge/problem"
)

// fail answers a request with err's problem, logging what is our fault.
func (a *API) fail(fc *fiber.Ctx, err error) error {
	f := fault.From(err)
	status := problem.Status(f.Code)
	id := requestID(fc)
	switch status {
	case http.StatusInternalServerError:
		a.Logger.Error("request failed", "requestId", id, "error", err)
	case http.StatusServiceUnavailable:
		a.Logger.Warn("request shed", "requestId", id, "error", err)
	}
	h := &fc.Response().Header
	if seconds := problem.RetrySeconds(f); seconds > 0 {
		h.Set(fiber.HeaderRetryAfter, strconv.Itoa(seconds))
	}
	if status == http.StatusUnauthorized {
		h.Set(fiber.HeaderWWWAuthenticate, `Bearer realm="plateia"`)
	}
	h.Del(fiber.HeaderETag)
	h.Set(fiber.HeaderCacheControl, "no-store")
	fc.Response().ResetBody()
	fc.Status(status)
	h.Set(fiber.HeaderContentType, "application/problem+json")
	noteCode(fc, f.Code)
	return fc.Send(problem.Render(f, id))
}

// frameError answers what Fiber itself refuses: no route, wrong method, headers too large, a broken request.
func (a *API) frameError(fc *fiber.Ctx, err error) error {
	var fe *fiber.Error
	if !errors.As(err, &fe) {
		return a.fail(fc, err)
	}
	prepare(fc)
	switch fe.Code {
	case http.StatusNotFound:
		return a.fail(fc, fault.New(fault.NotFound, "no such resource"))
	case http.StatusMethodNotAllowed:
		return a.fail(fc, fault.New(fault.MethodNotAllowed, "this resource does not take %s", methodOf(fc)))
	case http.StatusRequestEntityTooLarge:
		return a.fail(fc, tooLarge(a.opts.BodyLimit))
	case http.StatusRequestHeaderFieldsTooLarge:
		return a.fail(fc, fault.New(fault.TooLarge, "the request's headers are larger than %d bytes", a.opts.HeaderLimit))
	case http.StatusRequestTimeout:
		return a.fail(fc, fault.New(fault.Invalid, "the request did not arrive in time"))
	}
	a.Logger.Log(fc.Context(), slog.LevelDebug, "broken request", "status", fe.Code, "error", err)
	return a.fail(fc, fault.New(fault.Invalid, "the request is not valid HTTP"))
}

func tooLarge(limit int) *fault.Error {
	return fault.New(fault.TooLarge, "the request's body is larger than %d bytes", limit).With("limit", limit)
}
