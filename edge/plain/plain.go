// Package plain is the line without JavaScript: one form per step and a page that reloads itself.
//
// A fan signs in by a code, takes a place and waits here. Seats cannot be chosen without a script, so when the turn comes the
// page says how to go on: signing in on any browser with one brings the same place there, because places belong to accounts.
//
// Invariants:
//   - Nothing secret is in an address, a page or a log: session and ticket are in cookies that scripts cannot read, that no
//     other site's page makes a browser send (SameSite=Strict), and that end with the day.
//   - A change needs a word that stands in our page and belongs to a cookie, besides what the edge checks of every change.
//   - The place is bound to a key that nobody has: it can be waited with, not claimed. A sign-in elsewhere, which is newer, moves it.
package plain

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/core/queue"
)

// Options of a Form. All but Secure are needed.
type Options struct {
	// API answers the public HTTP API: signing in, documents, places.
	API http.Handler
	// Session verifies an account session.
	Session func(token string) (account.Session, error)
	// Enter takes a place in an event's line, or finds the one that the account has.
	Enter  func(ctx context.Context, event id.ID, who account.Session, keyThumb string, asked queue.Asked) (token string, ticket account.QueueTicket, err error)
	Secure bool // fans come by https alone: cookies are for it only
	// Language is the page's for an Accept-Language header: "", "es" or "pt-BR".
	Language func(acceptLanguage string) string
}

// Form serves the pages. Safe for concurrent use.
type Form struct{ opts Options }

// New returns a Form.
func New(opts Options) *Form { return &Form{opts} }

// Path is where an event's form is.
func Path(event id.ID) string { return "/line/" + event.String() + "/plain" }

// EventOf is the event whose form is at a path.
func EventOf(path string) (id.ID, bool) {
	rest, ok := strings.CutPrefix(path, "/line/")
	name, more := strings.CutSuffix(rest, "/plain")
	if !ok || !more {
		return id.ID{}, false
	}
	event, err := id.Parse(name)
	return event, err == nil && !event.IsZero()
}

// visit is one request for a form.
type visit struct {
	*Form
	w       http.ResponseWriter
	r       *http.Request
	event   id.ID
	words   words
	session string // verified; "" when there is none
	who     account.Session
	ticket  string // as the cookie has it; "" when there is none
	form    string // the word that changes need
}

// ServeHTTP answers at Path(event).
func (f *Form) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	event, ok := EventOf(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	language := f.opts.Language(r.Header.Get("Accept-Language"))
	v := &visit{Form: f, w: w, r: r, event: event, words: wordsOf(cmp.Or(language, "en"))}
	v.readCookies()
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		v.look() //nolint:contextcheck // the visit holds its request
	case http.MethodPost:
		v.act() //nolint:contextcheck // as above
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		v.show(http.StatusMethodNotAllowed, page{Step: stepMail}) //nolint:contextcheck // as above
	}
}

// The cookies. Their paths keep them from everything but the form.
const (
	sessionCookie = "plateia_plain_session"
	ticketCookie  = "plateia_plain_ticket"
	formCookie    = "plateia_plain_form"
)

const day = 24 * 60 * 60 // seconds

func (v *visit) readCookies() {
	token := v.cookie(sessionCookie)
	if who, err := v.opts.Session(token); err == nil {
		v.session, v.who = token, who
		v.ticket = v.cookie(ticketCookie)
	}
	v.form = v.cookie(formCookie)
}

func (v *visit) cookie(name string) string {
	c, err := v.r.Cookie(name)
	if err != nil || len(c.Value) > 2048 {
		return ""
	}
	return c.Value
}

// keep sets a cookie for the day; an empty value takes it away.
func (v *visit) keep(name, value string) {
	age := day
	if value == "" {
		age = -1
	}
	http.SetCookie(v.w, &http.Cookie{ //nolint:gosec // Secure where fans come by https; development has none
		Name: name, Value: value, Path: Path(v.event), MaxAge: age, HttpOnly: true, Secure: v.opts.Secure, SameSite: http.SameSiteStrictMode,
	})
}

// digest is a word of 43 letters made of another, which cannot be found from it.
func digest(purpose, of string) string {
	sum := sha256.Sum256([]byte("plateia plain " + purpose + "\x00" + of))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
