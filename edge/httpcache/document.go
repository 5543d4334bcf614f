package httpcache

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// document is an answer of the origin. It is not changed once it is made.
type document struct {
	status int
	header http.Header // as it is sent, without Age, length and coding
	etag   string      // as the origin wrote it; "" when it has none, or a weak one
	body   []byte
	packed *packed

	maxAge, swr, sie time.Duration
	keeps            bool          // may be kept at all
	began            time.Duration // its age when it arrived
	arrived          time.Time
}

// packed is the body under gzip, made when somebody takes it.
type packed struct {
	once sync.Once
	body []byte
}

// passed are the origin's headers that are passed on. The rest belongs to one request or one connection.
var passed = []string{
	"Content-Type", "Content-Language", "Cache-Control", "Date", "ETag", "Last-Modified", "Vary", "Retry-After", "WWW-Authenticate", "Plateia-Region", "X-Content-Type-Options",
}

func newDocument(res *http.Response, body []byte, asked, now time.Time) *document {
	d := &document{status: res.StatusCode, body: body, packed: &packed{}}
	d.header = make(http.Header, len(passed))
	d.take(res.Header, asked, now)
	rules := parseDirectives(res.Header.Get("Cache-Control"))
	d.keeps = res.StatusCode == http.StatusOK && rules.shared && knownVariants(res.Header) && res.Header.Get("Content-Encoding") == ""
	return d
}

// renewed is the same document after the origin said that it is still right.
func (d *document) renewed(h http.Header, asked, now time.Time) *document {
	n := *d
	n.header = d.header.Clone()
	n.take(h, asked, now)
	return &n
}

// take reads what an answer says about the document. Its age is what the origin's side says plus the time under way;
// Date is not asked, because its seconds are whole ones and would make every document of a second's life old at once.
func (d *document) take(h http.Header, asked, now time.Time) {
	for _, name := range passed {
		if v := h.Values(name); len(v) > 0 {
			d.header[http.CanonicalHeaderKey(name)] = v
		}
	}
	if d.header.Get("Date") == "" {
		d.header.Set("Date", now.UTC().Format(http.TimeFormat))
	}
	d.etag = ""
	if tag := d.header.Get("ETag"); strings.HasPrefix(tag, `"`) && strings.HasSuffix(tag, `"`) && len(tag) > 2 {
		d.etag = tag
	}
	rules := parseDirectives(d.header.Get("Cache-Control"))
	d.maxAge, d.swr, d.sie = rules.maxAge, rules.swr, rules.sie
	d.began, d.arrived = now.Sub(asked), now
	if age, err := strconv.Atoi(h.Get("Age")); err == nil && age > 0 {
		d.began += time.Duration(age) * time.Second
	}
}

func (d *document) age(now time.Time) time.Duration { return max(d.began+now.Sub(d.arrived), 0) }

func (d *document) fresh(now time.Time) bool { return d.age(now) < d.maxAge }

func (d *document) whileRevalidating(now time.Time) bool { return d.age(now) < d.maxAge+d.swr }

func (d *document) onError(now time.Time) bool { return d.age(now) < d.maxAge+d.sie }

// size is about what a document costs, in bytes. Its packed form is counted as if it were there.
func (d *document) size() int {
	if d == nil {
		return 0
	}
	return len(d.body) + len(d.body)/2
}

// knownVariants is true when an answer differs by nothing that the key does not hold.
func knownVariants(h http.Header) bool {
	for _, line := range h.Values("Vary") {
		for name := range strings.SplitSeq(line, ",") {
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "", "accept", "accept-encoding":
			default:
				return false
			}
		}
	}
	return true
}

// directives are those of a Cache-Control header that matter here.
type directives struct {
	shared           bool // public, and nothing that speaks against it
	maxAge, swr, sie time.Duration
}

// longest is a bound against nonsense in a directive.
const longest = 366 * 24 * 60 * 60

func parseDirectives(header string) directives {
	d := directives{}
	never := false
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		seconds, err := strconv.ParseInt(strings.Trim(value, `"`), 10, 64)
		if err != nil || seconds < 0 {
			seconds = 0
		}
		span := time.Duration(min(seconds, longest)) * time.Second
		switch strings.ToLower(name) {
		case "public":
			d.shared = true
		case "private", "no-store", "no-cache":
			never = true
		case "max-age":
			d.maxAge = span
		case "stale-while-revalidate":
			d.swr = span
		case "stale-if-error":
			d.sie = span
		}
	}
	d.shared = d.shared && !never && d.maxAge > 0
	return d
}
