// Package mail writes the product's mail and hands it to whoever delivers it.
package mail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plateia/core/account"
)

// Message is one mail, ready to be sent.
type Message struct {
	To      string
	Subject string
	Text    string
	Locale  string // BCP 47
	Code    string // of a sign-in mail, so that the development inbox can show it large
}

// Sender delivers mail. An error means that it was not accepted.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// None is the sender of an installation without a mail server: it accepts
// nothing, so that a code is never written to a log instead.
type None struct{}

// Send refuses.
func (None) Send(context.Context, Message) error {
	return errors.New("mail: no mail server is configured")
}

// Codes sends sign-in codes. It is the account rules' Mailer.
type Codes struct{ sender Sender }

// NewCodes returns a Codes that hands its mail to sender.
func NewCodes(sender Sender) Codes { return Codes{sender} }

// SendCode writes and sends the mail that carries a code.
func (c Codes) SendCode(ctx context.Context, m account.Mail) error {
	return c.sender.Send(ctx, codeMessage(m))
}

// codeTexts are subject and text by language; both take the code, the text also the minutes.
var codeTexts = map[string][2]string{
	"en": {
		"%s is your Plateia code",
		"Your sign-in code is %s\n\nIt works once and for %d minutes. If you did not ask for it, ignore this mail: without the code nobody gets in.\n",
	},
	"pt-BR": {
		"%s é o seu código do Plateia",
		"Seu código de acesso é %s\n\nEle vale uma única vez, por %d minutos. Se você não o pediu, ignore este e-mail: sem o código ninguém entra.\n",
	},
}

func codeMessage(m account.Mail) Message {
	texts, ok := codeTexts[m.Locale]
	if !ok {
		m.Locale, texts = "en", codeTexts["en"]
	}
	return Message{
		To: m.To, Locale: m.Locale, Code: m.Code,
		Subject: fmt.Sprintf(texts[0], m.Code),
		Text:    fmt.Sprintf(texts[1], m.Code, int(m.Life/time.Minute)),
	}
}
