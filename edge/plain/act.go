package plain

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"strings"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/queue"
)

// Steps of the form, as the field "do" names them.
const (
	doCode   = "code"   // mail a sign-in code
	doSignIn = "signin" // sign in with it, and enter
	doEnter  = "enter"  // enter, with a presale code
	doLeave  = "leave"  // give the place up and sign out
)

const formLimit = 8 << 10 // bytes

// act does one step, then shows the page anew by a redirect, so that a reload repeats nothing.
func (v *visit) act() {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, formLimit)
	if media, _, _ := strings.Cut(v.r.Header.Get("Content-Type"), ";"); strings.TrimSpace(strings.ToLower(media)) != "application/x-www-form-urlencoded" || v.r.ParseForm() != nil {
		v.show(http.StatusBadRequest, page{Step: stepMail, Wrong: v.words.Again})
		return
	}
	if v.form == "" || subtle.ConstantTimeCompare([]byte(v.field("form")), []byte(digest("form", v.form))) != 1 {
		v.show(http.StatusForbidden, v.first(v.words.Again))
		return
	}
	switch v.field("do") {
	case doCode:
		v.sendCode()
	case doSignIn:
		v.signIn()
	case doEnter:
		v.enter()
	case doLeave:
		v.leave()
	default:
		v.show(http.StatusBadRequest, v.first(v.words.Again))
	}
}

func (v *visit) field(name string) string { return strings.TrimSpace(v.r.PostForm.Get(name)) }

// first is the page at which somebody begins: with a session there is nothing to sign in for.
func (v *visit) first(wrong string) page {
	if v.session != "" {
		return page{Step: stepEnter, Wrong: wrong}
	}
	return page{Step: stepMail, Wrong: wrong}
}

func (v *visit) sendCode() {
	mail := v.field("email")
	answer := v.ask(http.MethodPost, "/v1/sessions/code", "", map[string]string{"email": mail, "locale": v.words.Tag})
	if answer.status != http.StatusAccepted {
		v.show(answer.shown(), page{Step: stepMail, Mail: mail, Wrong: v.words.of(answer)})
		return
	}
	var sent struct {
		DevInbox string `json:"devInbox"`
	}
	_ = json.Unmarshal(answer.body, &sent) // only in development is there something in it
	v.show(http.StatusOK, page{Step: stepCode, Mail: mail, Inbox: sent.DevInbox})
}

func (v *visit) signIn() {
	mail := v.field("email")
	answer := v.ask(http.MethodPost, "/v1/sessions", "", map[string]string{"email": mail, "code": v.field("code")})
	var opened struct {
		SessionToken string `json:"sessionToken"`
	}
	if answer.status != http.StatusCreated || json.Unmarshal(answer.body, &opened) != nil {
		v.show(answer.shown(), page{Step: stepCode, Mail: mail, Wrong: v.words.of(answer)})
		return
	}
	who, err := v.opts.Session(opened.SessionToken)
	if err != nil {
		v.show(http.StatusServiceUnavailable, page{Step: stepMail, Mail: mail, Wrong: v.words.Again})
		return
	}
	v.session, v.who = opened.SessionToken, who
	v.keep(sessionCookie, v.session)
	v.enter()
}

// enter takes the place. Its key is made of the session: a reload binds to the same one, and a newer sign-in to another.
func (v *visit) enter() {
	if v.session == "" {
		v.show(http.StatusUnauthorized, page{Step: stepMail, Wrong: v.words.SignIn})
		return
	}
	token, _, err := v.opts.Enter(v.r.Context(), v.event, v.who, digest("key", v.session), queue.Asked{Code: v.field("presale"), RemoteIP: v.address()})
	if err != nil {
		v.refused(err)
		return
	}
	v.keep(ticketCookie, token)
	v.again()
}

// address is where the fan's request came from, without the port.
func (v *visit) address() string {
	if host, _, err := net.SplitHostPort(v.r.RemoteAddr); err == nil {
		return host
	}
	return v.r.RemoteAddr
}

// refused shows why there is no place. Where a fresh code is what is missing, the form begins anew; the place, if there is one, is kept.
func (v *visit) refused(err error) {
	f := fault.From(err)
	status := statusOf(f)
	switch {
	case f.Code == fault.Forbidden || f.Code == fault.Unauthenticated || f.Code == "CHALLENGE_REQUIRED":
		v.keep(sessionCookie, "")
		v.session = ""
		v.show(status, page{Step: stepMail, Wrong: v.words.SignIn})
	case f.Details["field"] == "code":
		v.show(status, page{Step: stepEnter, Wrong: v.words.Presale})
	case f.Code == fault.EventState && f.Details["reason"] == "early":
		v.show(http.StatusOK, page{Step: stepEarly})
	case f.Code == fault.EventState:
		v.show(http.StatusOK, page{Step: stepClosed, Place: placeJSON{Status: account.QueueClosed}})
	default:
		v.show(status, page{Step: stepEnter, Wrong: v.words.Busy})
	}
}

func (v *visit) leave() {
	if v.ticket != "" {
		v.ask(http.MethodDelete, "/v1/queue", v.ticket, nil)
	}
	v.keep(ticketCookie, "")
	v.keep(sessionCookie, "")
	v.again()
}

func (v *visit) again() {
	v.w.Header().Set("Cache-Control", "no-store")
	http.Redirect(v.w, v.r, Path(v.event), http.StatusSeeOther)
}

// word is the hidden word of the page's forms; a browser without one gets one.
func (v *visit) word() string {
	if v.form == "" {
		v.form = rand.Text()
		v.keep(formCookie, v.form)
	}
	return digest("form", v.form)
}
