package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/edge/decode"
)

// call is one request: what a handler may need, copied out of Fiber's memory.
type call struct {
	fc   *fiber.Ctx
	ctx  context.Context // ends at the route's deadline
	id   string          // request id
	now  time.Time
	body []byte // whole and within the limit

	session account.Session       // routes that need bySession
	access  account.Access        // routes that need byAccess
	ticket  account.QueueTicket   // routes that need byTicket
	idem    inventory.Idempotency // routes that repeat

	operator string // routes that need byOperator: who acts
}

// param is a path parameter, as sent (still percent-encoded).
func (c *call) param(name string) string { return utils.CopyString(c.fc.Params(name)) }

// query is a query parameter; "" when absent.
func (c *call) query(name string) string { return utils.CopyString(c.fc.Query(name)) }

// header is a request header; "" when absent.
func (c *call) header(name string) string { return utils.CopyString(c.fc.Get(name)) }

// list is a request header that is a list, all its lines together; "" when absent.
func (c *call) list(name string) string {
	lines := c.fc.Request().Header.PeekAll(name)
	return string(bytes.Join(lines, []byte(", ")))
}

// path is the request's path as sent, without the query.
func (c *call) path() string { return utils.CopyString(c.fc.Path()) }

// paramID is a path parameter that names something. Nothing has a malformed
// name, so one is NOT_FOUND like any other unknown one.
func (c *call) paramID(name string) (id.ID, error) {
	v, err := id.Parse(c.param(name))
	if err != nil || v.IsZero() {
		return id.ID{}, fault.New(fault.NotFound, "no such %s", strings.TrimSuffix(name, "Id"))
	}
	return v, nil
}

// paramNumber is a positive number in the path, which has one spelling: digits that begin with another one than 0.
func (c *call) paramNumber(name string) (int, bool) {
	text := c.param(name)
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0 && strconv.Itoa(n) == text
}

// decode reads the JSON body into v, which it refuses when it is not one well-formed object.
func (c *call) decode(v any) error {
	if t := c.header(fiber.HeaderContentType); !decode.IsJSON(t) {
		return fault.New(fault.MediaType, "the body must be application/json")
	}
	if c.header(fiber.HeaderContentEncoding) != "" {
		return fault.New(fault.MediaType, "compressed bodies are not read")
	}
	return decode.Object(c.body, v)
}

// json answers with v.
func (c *call) json(status int, v any) error {
	out, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.send(status, fiber.MIMEApplicationJSON, out)
}

// send answers with bytes.
func (c *call) send(status int, contentType string, body []byte) error {
	c.fc.Status(status)
	c.fc.Set(fiber.HeaderContentType, contentType)
	return c.fc.Send(body)
}

// noContent answers 204: done, and nothing to say.
func (c *call) noContent() error {
	c.fc.Status(http.StatusNoContent)
	return nil
}

// set sets a header of the answer.
func (c *call) set(name, value string) { c.fc.Set(name, value) }

// cache makes the answer cacheable and reports whether the client has it
// already; then 304 is set and the handler must not write a body. etag is
// without quotes.
func (c *call) cache(etag, control string) (fresh bool) {
	c.set(fiber.HeaderCacheControl, control)
	if etag == "" {
		return false
	}
	c.set(fiber.HeaderETag, `"`+etag+`"`)
	if !matchesETag(c.list(fiber.HeaderIfNoneMatch), etag) {
		return false
	}
	c.fc.Status(fiber.StatusNotModified)
	return true
}
