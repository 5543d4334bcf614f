package mail

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// kept is how many mails the development inbox remembers.
const kept = 100

// Inbox is the development mailer: it delivers nothing, logs each code and shows
// the last hundred mails. It belongs in `plateia dev` and nowhere else.
type Inbox struct {
	log  *slog.Logger
	now  func() time.Time
	mu   sync.Mutex
	last []received // newest first
}

type received struct {
	To      string    `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	Locale  string    `json:"locale"`
	Code    string    `json:"code,omitempty"`
	SentAt  time.Time `json:"sentAt"`
}

// NewInbox returns an empty inbox.
func NewInbox(log *slog.Logger) *Inbox { return &Inbox{log: log, now: time.Now} }

// Send keeps a mail and logs its code.
func (b *Inbox) Send(_ context.Context, m Message) error {
	b.mu.Lock()
	r := received{To: m.To, Subject: m.Subject, Text: m.Text, Locale: m.Locale, Code: m.Code, SentAt: b.now().UTC()}
	b.last = append([]received{r}, b.last[:min(len(b.last), kept-1)]...)
	b.mu.Unlock()
	b.log.Info("development mail", "to", m.To, "code", m.Code)
	return nil
}

// mails returns the mails to an address, newest first; all for "".
func (b *Inbox) mails(to string) []received {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []received{}
	for _, r := range b.last {
		if to == "" || strings.EqualFold(r.To, to) {
			out = append(out, r)
		}
	}
	return out
}

//go:embed inbox.html
var inboxHTML string

var inboxPage = template.Must(template.New("inbox").Parse(inboxHTML))

// ServeHTTP shows the inbox as a page, or as JSON to whoever asks for it. ?to= keeps one address.
func (b *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the inbox can only be read", http.StatusMethodNotAllowed)
		return
	}
	mails := b.mails(r.URL.Query().Get("to"))
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		h.Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"mails": mails})
		return
	}
	nonce := rand.Text()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+nonce+"'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	_ = inboxPage.Execute(w, map[string]any{"Mails": mails, "Nonce": nonce})
}
