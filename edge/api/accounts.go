package api

import (
	"net/http"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
)

// Sign-in mail of this process: so many a second, after a burst. A rush before
// T0 fits; a flood that would make us a spammer does not.
const (
	mailsPerSecond = 200
	mailBurst      = 2000
)

func (a *API) accountRoutes() []route {
	routes := []route{
		{method: http.MethodPost, path: "/v1/sessions/code", do: a.sendCode, timeout: 15 * time.Second},
		{method: http.MethodPost, path: "/v1/sessions", do: a.signIn},
		{method: http.MethodGet, path: "/v1/me", needs: bySession, do: a.me},
	}
	if a.opts.DevSessions {
		routes = append(routes, route{method: http.MethodPost, path: "/v1/dev/sessions", do: a.devSignIn})
	}
	return routes
}

func (a *API) sendCode(c *call) error {
	var body struct {
		Email  string `json:"email"`
		Locale string `json:"locale"`
	}
	if err := c.decode(&body); err != nil {
		return err
	}
	if !a.mails.AllowN(c.now, 1) {
		return fault.New(fault.Busy, "too many people are signing in at this moment").After(5 * time.Second)
	}
	if err := a.Accounts.SendCode(c.ctx, body.Email, body.Locale); err != nil {
		return err
	}
	return c.json(http.StatusAccepted, struct {
		DevInbox string `json:"devInbox,omitempty"`
	}{a.opts.DevInbox})
}

func (a *API) signIn(c *call) error {
	var body struct {
		Email string `json:"email"`
		Code  string `json:"code"`
	}
	if err := c.decode(&body); err != nil {
		return err
	}
	who, err := a.Accounts.SignIn(c.ctx, body.Email, body.Code)
	if err != nil {
		return err
	}
	return a.openSession(c, who)
}

const headerDevSecret = "Plateia-Dev-Secret" //nolint:gosec // the name of a header, not what is in it

// devSignIn signs anybody in: rehearsals and development. The route exists only
// where it was switched on, and asks for the secret where one was configured.
func (a *API) devSignIn(c *call) error {
	if !a.opts.DevSecret.IsZero() && !a.opts.DevSecret.Is(c.header(headerDevSecret)) {
		return fault.New(fault.Forbidden, "the secret is missing or wrong")
	}
	var body struct {
		Email string `json:"email"`
	}
	if err := c.decode(&body); err != nil {
		return err
	}
	who, err := a.Accounts.SignInUnproved(c.ctx, body.Email)
	if err != nil {
		return err
	}
	return a.openSession(c, who)
}

type accountJSON struct {
	AccountID id.ID  `json:"accountId"`
	Email     string `json:"email"`
}

func (a *API) openSession(c *call, who account.Account) error {
	token, session, err := a.Tokens.MintSession(who.ID)
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, struct {
		SessionToken string      `json:"sessionToken"`
		ExpiresAt    time.Time   `json:"expiresAt"`
		Account      accountJSON `json:"account"`
	}{token, session.ExpiresAt.UTC(), accountJSON{who.ID, who.Email}})
}

func (a *API) me(c *call) error {
	who, err := a.Accounts.Account(c.ctx, c.session.Account)
	if fault.CodeOf(err) == fault.NotFound { // a good signature for an account that is gone
		return fault.Wrap(err, fault.Unauthenticated, "the credential is missing, not valid or has expired")
	} else if err != nil {
		return err
	}
	return c.json(http.StatusOK, accountJSON{who.ID, who.Email})
}
