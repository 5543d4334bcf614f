package rehearse

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// LineReader verifies the documents of waiting rooms and reads them as a page does: with the operator's public keys and nothing else.
type LineReader interface {
	// Read verifies a document as it came. It fails when it is not the operator's.
	Read(document []byte) (LineDocument, error)
}

// LineDocument says how far an event's line is. It is not changed once it is made.
type LineDocument interface {
	Version() uint64
	// Turn is what the document says about the holder of a queue ticket at an instant.
	Turn(queueToken string, now time.Time) (Turn, error)
}

// Turn is a fan's place as the fan computes it.
type Turn struct {
	Waiting bool          // the turn has not come, has passed, or nobody is let in
	Over    string        // why waiting is of no use: "closed", "restarted"; "" otherwise
	Missed  bool          // the turn has passed; another one comes by
	Again   time.Duration // until a page looks again
	Lottery bool          // entered before the on-sale instant
}

// lineWatch keeps the newest document for all fans. Each of them asks for it all the same, as their phones would; what is shared is
// the work of verifying a document that another fan has verified already.
type lineWatch struct {
	read LineReader

	mu   sync.Mutex
	etag string
	doc  LineDocument
}

// take verifies a document, or recognises one by its tag; the highest version ever seen stays.
func (w *lineWatch) take(etag string, body []byte) (LineDocument, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.doc != nil && (len(body) == 0 || etag != "" && etag == w.etag) {
		return w.doc, nil
	}
	doc, err := w.read.Read(body)
	if err != nil {
		return nil, fmt.Errorf("the line's document: %w", err)
	}
	if w.doc == nil || doc.Version() > w.doc.Version() {
		w.doc, w.etag = doc, etag
	}
	return w.doc, nil
}

// ask polls the document, as a page does.
func (f *fan) ask(ctx context.Context) (LineDocument, error) {
	var body []byte
	err := f.api.do(ctx, call{method: http.MethodGet, path: f.eventPath("frontier"), etag: &f.etag}, &body)
	if err != nil {
		return nil, err
	}
	f.tally.polled(len(body) == 0)
	return f.line.take(f.etag, body)
}

func (f *fan) eventPath(resource string) string {
	return "/v1/events/" + url.PathEscape(f.opts.Event) + "/" + resource
}

// errLeftLine is a fan whom nobody has let in while they were willing to wait.
var errLeftLine = fmt.Errorf("nobody was let in for so long: %w", context.DeadlineExceeded)

// join enters the line. A challenge is answered as the page of a development server does.
func (f *fan) join(ctx context.Context) (err error) {
	var entry struct {
		QueueToken string `json:"queueToken"`
		Class      string `json:"class"`
	}
	began := time.Now()
	err = f.proved(ctx, f.eventPath("queue"), struct{}{}, &entry)
	if codeOf(err) == "CHALLENGE_REQUIRED" {
		err = f.proved(ctx, f.eventPath("queue"), map[string]string{"challenge": "dev:" + rand.Text()}, &entry)
	}
	if err != nil {
		return err
	}
	f.ticket, f.entered = entry.QueueToken, time.Now()
	f.tally.entered(entry.Class, f.entered.Sub(began))
	return nil
}

// stand waits in the line until the turn has come and is claimed.
func (f *fan) stand(ctx context.Context) error {
	until := f.entered.Add(f.opts.Patience)
	if f.opts.LineFor > 0 {
		until = f.tally.began.Add(f.opts.LineFor)
	}
	for {
		doc, err := f.ask(ctx)
		if err != nil {
			return err
		}
		turn, err := doc.Turn(f.ticket, time.Now())
		if err != nil {
			return err
		}
		if turn.Over != "" {
			return &problem{Status: http.StatusConflict, Code: "LINE_" + turn.Over, Detail: "the line is over"}
		}
		again := turn.Again
		if !turn.Waiting {
			if again, err = f.claim(ctx); err == nil {
				f.tally.let(time.Since(f.entered))
				return nil
			} else if again == 0 {
				return err
			}
		} else if f.missed != turn.Missed {
			f.missed = turn.Missed
			f.tally.missed()
		}
		if time.Now().Add(again).After(until) {
			f.leave(ctx)
			return errLeftLine
		}
		if !pause(ctx, again) {
			return ctx.Err()
		}
	}
}

// claim turns the ticket into an access token. When the place is kept, again is when to try once more.
func (f *fan) claim(ctx context.Context) (again time.Duration, err error) {
	var access struct {
		AccessToken string `json:"accessToken"`
	}
	err = f.proved(ctx, "/v1/queue/claim", map[string]string{"queueToken": f.ticket}, &access)
	if err == nil {
		f.access = access.AccessToken
		return 0, nil
	}
	if p, ok := problemOf(err); ok && p.Code == "WAITING" {
		f.tally.moment()
		return time.Duration(max(p.RetryAfter, 1) * float64(time.Second)), err
	}
	return 0, err
}

// leave gives the place back, also one inside: somebody else is let in. Nothing depends on it.
func (f *fan) leave(ctx context.Context) {
	if f.ticket == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = f.api.once(ctx, call{method: http.MethodDelete, path: "/v1/queue", bearer: f.ticket}, nil)
}
