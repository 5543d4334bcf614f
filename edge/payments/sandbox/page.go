package sandbox

import (
	"crypto/rand"
	_ "embed"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plateia/core/fault"
	"plateia/core/money"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// pageData is what the template shows.
type pageData struct {
	Lang            string
	Langs           []language
	Text            map[string]string
	Cards           []card
	Nonce           string
	Intent          intent
	Amount          string
	Order           string
	Return          string
	Left            string // the time to pay, rounded down to minutes: no clock of a place is needed to read it
	Until, UntilISO string
	Open            bool // the fan can choose
	Step            bool // the bank asks for one more step
	Wait            bool // being captured: the page reloads itself
	Notice          string
	Good, Bad       bool
}

func (s *Server) showPage(w http.ResponseWriter, r *http.Request) {
	found, err := s.bank.fetch(r.PathValue("reference"))
	if err != nil {
		s.pageError(w, err)
		return
	}
	s.render(w, r, found)
}

// pressPage takes the fan's choice and sends them back to the shop, or to the
// bank's second page. Pressing twice, or after the end, does no more than that.
func (s *Server) pressPage(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	decision := r.PostFormValue("decision")
	after, err := s.bank.choose(r.PathValue("reference"), decision)
	switch {
	case err != nil:
		s.pageError(w, err)
	case s.chaos.strikes(after, ErrorAfter, "press"):
		s.renderBroken(w, r, after)
	case after.State == cancelled && decision != "leave": // expired while the page was open: say so
		s.render(w, r, after)
	default:
		target := after.ReturnURL
		if after.State == confirming {
			target = s.view(after).PayURL
			if lang, ok := supported(r.URL.Query().Get("lang")); ok {
				target += "?lang=" + lang
			}
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, target, http.StatusSeeOther) //nolint:gosec // the address was checked when the payment was made
	}
}

func (s *Server) pageError(w http.ResponseWriter, err error) {
	f := fault.From(err)
	if f.Code == fault.Internal {
		s.log.Error("sandbox pay page", "error", err)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, f.Text, statusOf(f.Code))
}

func (s *Server) render(w http.ResponseWriter, r *http.Request, i intent) {
	data := newPage(r, i)
	data.Left = minutes(i.ExpiresAt.Sub(s.bank.now()))
	data.Open, data.Step = i.State.waits() && i.CaptureAt.IsZero(), i.State == confirming
	data.Wait, data.Good, data.Bad = !i.State.final() && !data.Open, i.State == captured, i.State == declined
	switch {
	case data.Wait:
		data.Notice = data.Text["is "+string(processing)]
	case !data.Open:
		data.Notice = data.Text["is "+string(i.State)]
	}
	s.write(w, http.StatusOK, data)
}

// minutes writes a span for people, never longer than it is.
func minutes(left time.Duration) string {
	if left < time.Minute {
		return "< 1 min"
	}
	return strconv.Itoa(int(left/time.Minute)) + " min"
}

// renderBroken is a page of a bank that has done it and does not say so.
func (s *Server) renderBroken(w http.ResponseWriter, r *http.Request, i intent) {
	data := newPage(r, i)
	data.Notice, data.Bad = data.Text["is broken"], true
	data.Return = r.URL.RequestURI()
	data.Text = maps.Clone(data.Text)
	data.Text["back"] = data.Text["reload"]
	s.write(w, http.StatusInternalServerError, data)
}

func newPage(r *http.Request, i intent) pageData {
	lang := chooseLanguage(r, i.Locale)
	langs := slices.Clone(languages)
	for n := range langs {
		langs[n].Now = langs[n].Tag == lang
	}
	return pageData{
		Lang: lang, Langs: langs, Text: texts[lang], Cards: cards(texts[lang]), Nonce: rand.Text(), Intent: i,
		Amount: display(money.Amount{Minor: i.Amount, Currency: i.Currency}, lang),
		Order:  strings.ToUpper(i.Order.String()[:8]), Return: i.ReturnURL,
		Until: i.ExpiresAt.UTC().Format("15:04") + " UTC", UntilISO: i.ExpiresAt.UTC().Format(time.RFC3339),
	}
}

func (s *Server) write(w http.ResponseWriter, status int, data pageData) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", data.Lang)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Language")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+data.Nonce+"'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"+origin(data.Intent.ReturnURL))
	w.WriteHeader(status)
	if err := pageTemplate.Execute(w, data); err != nil {
		s.log.Debug("sandbox pay page not sent", "error", err)
	}
}

// origin is the shop's, with a leading space: browsers apply form-action to the redirect after a form as well.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return " " + u.Scheme + "://" + u.Host
}

// chooseLanguage picks one of ours: what the page asks for (?lang=), what the shop
// said, what the browser prefers.
func chooseLanguage(r *http.Request, locale string) string {
	for _, wish := range []string{r.URL.Query().Get("lang"), locale} {
		if lang, ok := supported(wish); ok {
			return lang
		}
	}
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") { // browsers list the preferred first
		tag, _, _ := strings.Cut(part, ";")
		if lang, ok := supported(tag); ok {
			return lang
		}
	}
	return "en"
}

func supported(tag string) (string, bool) {
	base, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	switch base {
	case "pt":
		return "pt-BR", true
	case "en", "es":
		return base, true
	}
	return "", false
}

// symbols of currencies, as the shop's own pages write them; others go by their code.
var symbols = map[string]map[string]string{
	"en":    {"BRL": "R$", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"},
	"pt-BR": {"BRL": "R$", "USD": "US$", "EUR": "€", "GBP": "£", "JPY": "JP¥"},
	"es":    {"BRL": "R$", "USD": "US$", "EUR": "€"},
}

// display writes an amount for people, as the shop's pages do: a fan who sees
// another form of it than a moment ago wonders whether it is another amount.
// "R$1,234.50" in English, "R$ 1.234,50" in Portuguese, "1234,50 R$" in Spanish,
// which groups from five digits on.
func display(a money.Amount, lang string) string {
	exp, _ := money.Exponent(a.Currency)
	group, point := ",", "."
	if lang != "en" {
		group, point = ".", ","
	}
	digits := strconv.FormatInt(a.Minor, 10)
	for len(digits) <= exp {
		digits = "0" + digits
	}
	whole, cents := digits[:len(digits)-exp], digits[len(digits)-exp:]
	if lang != "es" || len(whole) > 4 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + group + whole[i:]
		}
	}
	if exp > 0 {
		whole += point + cents
	}
	symbol, known := symbols[lang][a.Currency]
	if !known {
		symbol = a.Currency
	}
	switch {
	case lang == "es":
		return whole + "\u00a0" + symbol
	case lang == "en" && known:
		return symbol + whole
	default:
		return symbol + "\u00a0" + whole
	}
}
