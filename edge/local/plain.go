package local

import (
	"context"
	"net/http"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/edge/plain"
)

// Mint lets accounts into the lines of events: main hands it in where this process can write the log of entries.
type Mint interface {
	Enter(ctx context.Context, event id.ID, who account.Session, keyThumb string, asked queue.Asked) (token string, ticket account.QueueTicket, err error)
}

func (e *Edge) newForm() *plain.Form {
	return plain.New(plain.Options{
		API: http.HandlerFunc(e.route), Session: e.opts.Tokens.Session, Enter: e.enterAs, Secure: e.opts.Secure, Language: languageOf,
	})
}

// enterAs lets an account in as often as it may ask, whichever way it came.
func (e *Edge) enterAs(ctx context.Context, event id.ID, who account.Session, keyThumb string, asked queue.Asked) (string, account.QueueTicket, error) {
	if err := e.mints.take(who.Account); err != nil {
		return "", account.QueueTicket{}, err
	}
	return e.opts.Mint.Enter(ctx, event, who, keyThumb, asked)
}

// linePage answers under /line: the form without JavaScript, or the page.
func (e *Edge) linePage(w http.ResponseWriter, r *http.Request, path string) {
	_, isForm := plain.EventOf(path)
	switch {
	case e.form == nil || !isForm && r.URL.Query().Get("plain") == "":
		e.pages.serve(w, r, path, e.cache)
	case isForm:
		e.form.ServeHTTP(overriding{w}, r)
	default: // the page's button for those who have no script
		if event, ok := plain.EventOf(path + "/plain"); ok {
			http.Redirect(w, r, plain.Path(event), http.StatusSeeOther) //nolint:gosec // a page of ours, made of an id
			return
		}
		e.pages.serve(w, r, path, e.cache)
	}
}
