package sandbox

import (
	"crypto/rand"
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"plateia/core/fault"
	"plateia/core/money"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// pageData is what the template shows.
type pageData struct {
	Lang   string
	Text   map[string]string
	Nonce  string
	Intent intent
	Amount string
	Order  string
	Return string
	Open   bool // the fan can choose
	Wait   bool // being captured: the page reloads itself
	Notice string
	Good   bool
}

func (s *Server) showPage(w http.ResponseWriter, r *http.Request) {
	found, err := s.bank.fetch(r.PathValue("reference"))
	if err != nil {
		s.pageError(w, err)
		return
	}
	s.render(w, r, found)
}

// pressPage takes the fan's choice and sends them back to the shop. Pressing
// twice, or after the end, does no more than that.
func (s *Server) pressPage(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	after, err := s.bank.choose(r.PathValue("reference"), r.PostFormValue("decision"))
	if err != nil {
		s.pageError(w, err)
		return
	}
	if after.State == cancelled { // expired while the page was open: say so
		s.render(w, r, after)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, after.ReturnURL, http.StatusSeeOther)
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
	lang := language(r, i.Locale)
	data := pageData{
		Lang: lang, Text: texts[lang], Nonce: rand.Text(), Intent: i,
		Amount: display(money.Amount{Minor: i.Amount, Currency: i.Currency}, lang),
		Order:  strings.ToUpper(i.Order.String()[:8]), Return: i.ReturnURL,
		Open: i.State == pending, Wait: i.State == processing, Good: i.State == captured,
	}
	if !data.Open {
		data.Notice = data.Text["is "+string(i.State)]
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Language")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+data.Nonce+"'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"+origin(i.ReturnURL))
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

// language picks pt-BR or en: what the page asks for (?lang=), what the shop
// said, what the browser prefers.
func language(r *http.Request, locale string) string {
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
	case "en":
		return "en", true
	}
	return "", false
}

// display writes an amount for people: "R$ 1.234,50", "$1,234.50", "¥1,234", "12.345 KWD".
func display(a money.Amount, lang string) string {
	symbols := map[string]string{"BRL": "R$", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
	exp, _ := money.Exponent(a.Currency)
	group, point, gap := ",", ".", ""
	if lang == "pt-BR" {
		group, point, gap = ".", ",", "\u00a0"
	}
	digits := strconv.FormatInt(a.Minor, 10)
	for len(digits) <= exp {
		digits = "0" + digits
	}
	whole, cents := digits[:len(digits)-exp], digits[len(digits)-exp:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if exp > 0 {
		whole += point + cents
	}
	if symbol, ok := symbols[a.Currency]; ok {
		return symbol + gap + whole
	}
	return whole + "\u00a0" + a.Currency
}

var texts = map[string]map[string]string{
	"en": {
		"title": "Sandbox payment", "sandbox": "Test payment — no real money moves", "amount": "Amount", "order": "Order",
		"payTo": "Payment to", "approve": "Approve payment", "slow": "Approve, but slowly", "decline": "Decline the card", "back": "Back to the shop",
		"help":          "Choose what your bank should answer. “Slowly” captures the money a few seconds after you have returned to the shop.",
		"is processing": "The bank is working on it. This takes a few seconds.", "is captured": "Paid. Thank you!",
		"is declined": "The card was declined. You can go back and try another one.", "is cancelled": "This payment has ended. No money was taken.",
	},
	"pt-BR": {
		"title": "Pagamento de teste", "sandbox": "Pagamento de teste — nenhum dinheiro real é movimentado", "amount": "Valor", "order": "Pedido",
		"payTo": "Pagamento para", "approve": "Aprovar pagamento", "slow": "Aprovar, mas devagar", "decline": "Recusar o cartão", "back": "Voltar à loja",
		"help":          "Escolha o que o banco deve responder. “Devagar” captura o valor alguns segundos depois que você voltar à loja.",
		"is processing": "O banco está processando. Isso leva alguns segundos.", "is captured": "Pago. Obrigado!",
		"is declined": "O cartão foi recusado. Você pode voltar e tentar outro.", "is cancelled": "Este pagamento foi encerrado. Nada foi cobrado.",
	},
}
