package rehearse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const maxBody = 64 << 20

// client speaks the public API and keeps no state but connections.
type client struct {
	base   string
	secret string
	http   *http.Client
	tally  *tally
}

func newClient(opts Options, tally *tally) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost = min(opts.Parallel, cmp.Or(opts.Connected, 4000))
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, transport.MaxConnsPerHost
	transport.Proxy = nil
	transport.IdleConnTimeout = 45 * time.Second // less than what servers keep, so that none closes under a request
	return &client{
		base:   opts.URL,
		secret: opts.DevSecret,
		tally:  tally,
		http: &http.Client{
			Transport:     transport,
			Timeout:       30 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// problem is an application/problem+json answer.
type problem struct {
	Status     int      `json:"status"`
	Code       string   `json:"code"`
	Detail     string   `json:"detail"`
	Retryable  bool     `json:"retryable"`
	RetryAfter float64  `json:"retryAfterSeconds"`
	Seats      []string `json:"seats"`
}

func (p *problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// regionHeader is what an edge with several regions says who answered in.
const regionHeader = "Plateia-Region"

// connectionLost is our code for a request without any answer.
const connectionLost = "CONNECTION"

// call is one request.
type call struct {
	method, path string
	bearer       string
	proof        string // DPoP
	key          string // Idempotency-Key
	attempt      int    // how often the key has been sent, with this
	body         any
	accept       string
	from         *string // is told the region that answered, when it says so
	etag         *string // of what the caller has; is told the tag of what came. 304 leaves out as it is
}

// do sends a request and decodes the answer into out; a 503 with Retry-After
// and a lost connection are tried again (with the same key) until ctx ends.
func (c *client) do(ctx context.Context, req call, out any) error {
	for {
		req.attempt++
		err := c.once(ctx, req, out)
		var p *problem
		switch {
		case err == nil:
			return nil
		case errors.As(err, &p):
			c.tally.refusedWith(p)
			if p.Status != http.StatusServiceUnavailable || p.RetryAfter == 0 {
				return err
			}
			if !pause(ctx, time.Duration(p.RetryAfter*float64(time.Second))) {
				return err
			}
		case ctx.Err() != nil:
			return err
		default: // the connection failed: a fan would press again
			c.tally.refusedWith(&problem{Code: connectionLost})
			if !pause(ctx, 500*time.Millisecond) {
				return err
			}
		}
	}
}

func (c *client) once(ctx context.Context, req call, out any) error {
	var body io.Reader
	if req.body != nil {
		encoded, err := json.Marshal(req.body)
		if err != nil {
			return err
		}
		body = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, req.method, c.base+req.path, body)
	if err != nil {
		return err
	}
	setHeader(r, "Content-Type", "application/json", req.body != nil)
	setHeader(r, "Authorization", "Bearer "+req.bearer, req.bearer != "")
	setHeader(r, "DPoP", req.proof, req.proof != "")
	setHeader(r, "Idempotency-Key", req.key, req.key != "")
	setHeader(r, "Idempotency-Attempt", strconv.Itoa(req.attempt), req.key != "")
	setHeader(r, "Accept", req.accept, req.accept != "")
	if req.etag != nil {
		setHeader(r, "If-None-Match", *req.etag, *req.etag != "")
	}
	setHeader(r, "Plateia-Dev-Secret", c.secret, c.secret != "" && strings.HasPrefix(req.path, "/v1/dev/"))
	c.tally.requests.Add(1)
	answer, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if req.from != nil {
		*req.from = answer.Header.Get(regionHeader)
	}
	if req.etag != nil && answer.StatusCode == http.StatusNotModified {
		return nil
	}
	err = read(answer, out)
	if req.etag != nil && err == nil {
		*req.etag = answer.Header.Get("ETag")
	}
	return err
}

func setHeader(r *http.Request, name, value string, set bool) {
	if set {
		r.Header.Set(name, value)
	}
}

func read(answer *http.Response, out any) error {
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxBody))
	if err != nil {
		return err
	}
	if answer.StatusCode >= 400 {
		p := &problem{}
		if json.Unmarshal(raw, p) != nil || p.Code == "" {
			p.Code = "HTTP_" + strconv.Itoa(answer.StatusCode)
		}
		p.Status = answer.StatusCode
		if after, err := strconv.ParseFloat(answer.Header.Get("Retry-After"), 64); err == nil {
			p.RetryAfter = max(after, 0.1)
		}
		return p
	}
	switch out := out.(type) {
	case nil:
		return nil
	case *[]byte:
		*out = raw
		return nil
	}
	return json.Unmarshal(raw, out)
}

// pause waits about d (jittered, so that fans do not march in step); false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	return sleep(ctx, d/2+rand.N(d+time.Millisecond))
}

// sleep waits d; false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// pressApprove does what a fan does on the provider's hosted page: reads it,
// and submits the form whose button approves.
func (c *client) pressApprove(ctx context.Context, actionURL string) error {
	target, err := url.Parse(actionURL)
	if err != nil {
		return fmt.Errorf("payment page: %w", err)
	}
	base, err := url.Parse(c.base)
	if err != nil {
		return err
	}
	address := base.ResolveReference(target).String()
	page, err := c.form(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	button := approveButton.FindStringSubmatch(page)
	if button == nil {
		return errors.New("payment page: no button that approves")
	}
	_, err = c.form(ctx, http.MethodPost, address, url.Values{button[1]: {"approve"}})
	return err
}

// paymentPage is our code for a page of the bank that shows an error.
const paymentPage = "PAYMENT_PAGE"

// approveButton is the button as a browser would send it.
var approveButton = regexp.MustCompile(`<button[^>]* name="([a-z]+)" value="approve"`)

func (c *client) form(ctx context.Context, method, address string, values url.Values) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(values.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	c.tally.requests.Add(1)
	answer, err := c.http.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return "", err
	}
	if answer.StatusCode >= 400 {
		p := &problem{Status: answer.StatusCode, Code: paymentPage, Detail: answer.Status}
		c.tally.refusedWith(p)
		return "", p
	}
	return string(page), nil
}
