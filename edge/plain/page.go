package plain

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"plateia/core/account"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// step is what a page is for.
type step string

const (
	stepMail      step = "mail"
	stepCode      step = "code"
	stepEnter     step = "enter"
	stepEarly     step = "early"
	stepWaiting   step = "waiting"
	stepTurn      step = "turn"
	stepMissed    step = "missed"
	stepClosed    step = "closed"
	stepRestarted step = "restarted"
)

// page is what the template shows.
type page struct {
	Step    step
	Mail    string
	Inbox   string // development: where the mail can be read
	Wrong   string // what did not work, in words
	Place   placeJSON
	Refresh int // seconds; 0: the page does not reload itself

	// Filled in by show.
	T                                words
	Style                            template.CSS
	Event                            string
	Path, Line                       string
	Word                             string
	Heading, Lead, Where, When, Next string
	Pause, Update, OnSale            string
	Signed, HasTicket                bool
}

// pages and the policy that goes with them: the one style is named by its hash, and there is no script.
var pages = template.Must(template.New("page").Parse(pageHTML))

func policy() string {
	sum := sha256.Sum256([]byte(pageCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// show writes a page.
func (v *visit) show(status int, p page) {
	about, found := v.about()
	if !found {
		status, p = http.StatusNotFound, page{Step: stepClosed, Wrong: v.words.NoEvent}
	}
	p.T, p.Style = v.words, template.CSS(pageCSS) //nolint:gosec // a file of this package
	p.Event, p.Path, p.Line = about.Title, Path(v.event), "/line/"+v.event.String()
	p.Word, p.Signed, p.HasTicket = v.word(), v.session != "", v.ticket != ""
	v.describe(&p, about)
	var out bytes.Buffer
	if err := pages.Execute(&out, p); err != nil {
		http.Error(v.w, "try again", http.StatusServiceUnavailable)
		return
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", v.words.Tag)
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept-Language, Cookie")
	h.Set("Content-Security-Policy", policy())
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Content-Length", strconv.Itoa(out.Len()))
	v.w.WriteHeader(status)
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(out.Bytes()) // a reader that has left
	}
}

// describe puts the place into words.
func (v *visit) describe(p *page, about eventJSON) {
	t := v.words
	zone, err := time.LoadLocation(about.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	clock := func(at time.Time) string { return t.clock(at, zone) }
	p.Heading, p.Lead = t.Heading[p.Step], t.Lead[p.Step]
	if p.Step == stepMail || p.Step == stepEnter || p.Step == stepEarly || p.Place.Phase == "before" {
		if at := about.OnSaleAt; at.After(time.Now()) {
			p.OnSale = fmt.Sprintf(t.OnSale, at.In(zone).Format("2006-01-02 15:04")+" ("+zone.String()+")")
		}
	}
	if p.Step != stepWaiting && p.Step != stepTurn && p.Step != stepMissed {
		return
	}
	if p.Place.ClaimBy != nil && p.Step == stepTurn {
		p.When = fmt.Sprintf(t.ClaimBy, clock(*p.Place.ClaimBy))
	}
	if p.Step == stepWaiting && p.Place.Status == account.QueueWaiting {
		p.Where, p.When = t.where(p.Place), t.when(p.Place)
	}
	v.pause(p, clock)
}

// sentence ends an operator's words, behind which another sentence follows.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text[max(len(text)-1, 0):], ".!?:") {
		return text
	}
	return text + "."
}

// pause says why the line stands still and when more is known.
func (v *visit) pause(p *page, clock func(time.Time) string) {
	d := v.frontier()
	if d.Phase == "paused" {
		p.Pause = v.words.Paused
	}
	if d.Message == nil {
		return
	}
	language, _, _ := strings.Cut(v.words.Tag, "-")
	for _, tag := range []string{v.words.Tag, language, "en"} {
		if text := d.Message.Text[tag]; text != "" {
			p.Pause = strings.TrimSpace(p.Pause + " " + sentence(text))
			break
		}
	}
	if p.Pause == "" && d.Message.Reason != "" {
		p.Pause = v.words.Paused
	}
	if !d.Message.NextUpdate.IsZero() {
		p.Update = fmt.Sprintf(v.words.NextUpdate, clock(d.Message.NextUpdate))
	}
}
