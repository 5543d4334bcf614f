package plain

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
)

// words are the texts of one language.
type words struct {
	Tag                                            string // BCP 47
	Heading, Lead                                  map[step]string
	Email, SendCode, Code, PresaleLabel, Enter     string
	OtherMail, Inbox, GoOn, GoOnHow, Events, Leave string
	Reloads, ReloadNow                             string
	Again, Busy, SignIn, Presale, NoEvent          string // what did not work
	WrongCode, WrongMail, Often                    string
	OnSale, ClaimBy, Paused, NextUpdate            string // with one place for a time, but Paused
	Ahead, About, Unknown, Soon, Minutes, Draw     string
	group                                          string // between thousands
}

// clock writes an instant's time of day for a sentence, with its zone.
func (w words) clock(at time.Time, zone *time.Location) string {
	at = at.In(zone)
	article := ""
	switch {
	case w.Tag == "es" && at.Hour() == 1:
		article = "la " // the only hour that is one
	case w.Tag == "es":
		article = "las "
	}
	return article + at.Format("15:04") + " (" + zone.String() + ")"
}

func wordsOf(language string) words {
	switch language {
	case "pt-BR":
		return portuguese()
	case "es":
		return spanish()
	}
	return english()
}

// of says in words what an answer means.
func (t words) of(a answer) string {
	switch {
	case a.code == fault.RateLimited:
		return t.Often
	case a.status >= 500 || a.code == fault.Busy:
		return t.Busy
	case a.code == fault.Unauthenticated || a.code == fault.Forbidden:
		return t.WrongCode
	case a.code == fault.Invalid:
		return t.WrongMail
	}
	return t.Again
}

// where says how many are ahead: a range, because nobody is counted one by one.
func (t words) where(p placeJSON) string {
	switch {
	case p.Phase == "draw":
		return t.Draw
	case p.Ahead == nil && p.Class == account.Lottery:
		return t.Unknown
	case p.Ahead == nil:
		return ""
	}
	low, high := *p.Ahead-int64(math.Ceil(2*p.StandardError)), *p.Ahead+int64(math.Ceil(2*p.StandardError))
	if low = max(low, 0); low == high {
		return fmt.Sprintf(t.Ahead, t.number(high))
	}
	return fmt.Sprintf(t.About, t.number(low), t.number(high))
}

// when is a range of minutes, never a promise.
func (t words) when(p placeJSON) string {
	if p.ETASeconds == nil {
		return ""
	}
	low, high := p.ETASeconds[0]/60, (p.ETASeconds[1]+59)/60
	if high <= 1 {
		return t.Soon
	}
	return fmt.Sprintf(t.Minutes, t.number(int64(max(low, 1))), t.number(int64(high)))
}

// number writes thousands in groups.
func (t words) number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + t.group + s[at:]
	}
	return s
}
