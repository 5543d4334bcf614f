package mail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"plateia/core/account"
)

func TestCodeMessages(t *testing.T) {
	for locale, want := range map[string]string{"en": "sign-in code", "pt-BR": "código de acesso", "xx": "sign-in code"} {
		m := codeMessage(account.Mail{To: "ana@example.com", Code: "042137", Locale: locale, Life: 10 * time.Minute})
		if !strings.Contains(m.Text, want) || !strings.Contains(m.Text, "042137") || !strings.Contains(m.Text, "10 min") || !strings.Contains(m.Subject, "042137") {
			t.Errorf("%s: %+v", locale, m)
		}
	}
}

func TestInbox(t *testing.T) {
	var log bytes.Buffer
	box := NewInbox(slog.New(slog.NewTextHandler(&log, nil)))
	codes := NewCodes(box)
	for i := range kept + 20 {
		m := account.Mail{To: fmt.Sprintf("fan%d@example.com", i), Code: fmt.Sprintf("%06d", i), Locale: "en", Life: 10 * time.Minute}
		if err := codes.SendCode(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(log.String(), "code=000119") {
		t.Error("the code is not in the log")
	}
	get := func(target, accept string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", target, nil)
		r.Header.Set("Accept", accept)
		box.ServeHTTP(w, r)
		return w
	}
	var answer struct{ Mails []received }
	if err := json.Unmarshal(get("/dev/inbox", "application/json").Body.Bytes(), &answer); err != nil || len(answer.Mails) != kept || answer.Mails[0].Code != "000119" {
		t.Errorf("%d mails, %v", len(answer.Mails), err)
	}
	if err := json.Unmarshal(get("/dev/inbox?to=FAN77@example.com", "application/json").Body.Bytes(), &answer); err != nil || len(answer.Mails) != 1 || answer.Mails[0].Code != "000077" {
		t.Errorf("%+v %v", answer.Mails, err)
	}
	page := get("/dev/inbox", "text/html")
	if !strings.Contains(page.Body.String(), "000119") || strings.Contains(page.Header().Get("Content-Security-Policy"), "unsafe") {
		t.Errorf("%v %s", page.Header(), page.Body)
	}
}

func TestInboxEscapes(t *testing.T) {
	box := NewInbox(slog.New(slog.DiscardHandler))
	_ = box.Send(t.Context(), Message{To: "<script>alert(1)</script>@example.com"})
	w := httptest.NewRecorder()
	box.ServeHTTP(w, httptest.NewRequest("GET", "/dev/inbox", nil))
	if strings.Contains(w.Body.String(), "<script>") {
		t.Error("an address became markup")
	}
	w = httptest.NewRecorder()
	box.ServeHTTP(w, httptest.NewRequest("POST", "/dev/inbox", nil))
	if w.Code != 405 {
		t.Errorf("POST: %d", w.Code)
	}
}

func TestWithoutAMailServerACodeIsRefusedAndNotTold(t *testing.T) {
	err := NewCodes(None{}).SendCode(t.Context(), account.Mail{To: "ana@example.com", Code: "123456", Locale: "en", Life: time.Minute})
	if err == nil || strings.Contains(err.Error(), "123456") {
		t.Errorf("got %v, want a refusal without the code", err)
	}
}
