package api

import (
	"crypto/sha256"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"plateia/core/fault"
	"plateia/core/id"
)

// admit checks what the route asks for before its handler runs: credential, then key.
func (a *API) admit(r route, c *call) error {
	if err := a.authenticate(r, c); err != nil {
		return err
	}
	if r.repeat {
		return c.readKey()
	}
	return nil
}

func (a *API) authenticate(r route, c *call) (err error) {
	switch r.needs {
	case bySession:
		c.session, err = a.Tokens.Session(c.bearer())
	case byTicket:
		c.ticket, err = a.Tokens.Ticket(c.bearer())
	case byAccess:
		return a.authenticateAccess(c)
	case byOperator:
		return a.authenticateOperator(c)
	}
	return err
}

// authenticateAccess checks an access token against the event in the path.
// Whatever is wrong with it, the way on is the same: through the waiting room.
func (a *API) authenticateAccess(c *call) error {
	event, err := c.paramID("eventId")
	if err != nil {
		return err
	}
	c.access, err = a.Tokens.Access(c.bearer())
	if err != nil {
		return queueRequired(event, err, "holding seats needs an access token from the waiting room")
	}
	if c.access.Event != event {
		return queueRequired(event, nil, "this access token is for another event")
	}
	return nil
}

func queueRequired(event id.ID, cause error, text string) error {
	return fault.Wrap(cause, fault.QueueRequired, "%s", text).With("waitingRoom", "/events/"+event.String())
}

// bearer is the token of "Authorization: Bearer …"; "" when there is none.
func (c *call) bearer() string {
	scheme, token, ok := strings.Cut(c.header(fiber.HeaderAuthorization), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// headerAttempt is 1 when the key is sent for the first time. Without it a request may be a repetition.
const (
	headerKey     = "Idempotency-Key"
	headerAttempt = "Idempotency-Attempt"
)

// readKey takes the Idempotency-Key and hashes what the request asks: method, path and body.
func (c *call) readKey() error {
	key := c.header(headerKey)
	if key == "" {
		return fault.New(fault.KeyMissing, "this request needs an Idempotency-Key header")
	}
	if !validKey(key) {
		return fault.New(fault.Invalid, "Idempotency-Key must be 1 to 255 printable ASCII characters")
	}
	c.idem.Key, c.idem.Fresh = key, c.header(headerAttempt) == "1"
	h := sha256.New()
	for _, part := range []string{c.method(), c.path()} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	h.Write(c.body)
	h.Sum(c.idem.BodyHash[:0])
	return nil
}

func (c *call) method() string {
	if m := methodOf(c.fc); m != http.MethodHead {
		return m
	}
	return http.MethodGet
}

func validKey(key string) bool {
	if len(key) == 0 || len(key) > 255 {
		return false
	}
	for _, b := range []byte(key) {
		if b < 0x20 || b > 0x7e {
			return false
		}
	}
	return true
}
