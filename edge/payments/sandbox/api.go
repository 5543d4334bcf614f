package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/payment"
)

// createBody is what POST /intents takes.
type createBody struct {
	Order       id.ID     `json:"order"`
	Amount      int64     `json:"amount"`
	Currency    string    `json:"currency"`
	Description string    `json:"description"`
	ReturnURL   string    `json:"returnUrl"`
	ExpiresAt   time.Time `json:"expiresAt"`
	Locale      string    `json:"locale"`
}

// intentView is what every intent answer shows.
type intentView struct {
	Reference string         `json:"reference"`
	Order     id.ID          `json:"order"`
	Status    payment.Status `json:"status"`
	Reason    string         `json:"reason"`
	Amount    int64          `json:"amount"`
	Currency  string         `json:"currency"`
	Refunded  int64          `json:"refunded"`
	PayURL    string         `json:"payUrl"`
	ExpiresAt time.Time      `json:"expiresAt"`
}

// refundView is what POST refunds answers.
type refundView struct {
	Status payment.RefundStatus `json:"status"`
	Amount int64                `json:"amount"`
}

// errorView is every error answer.
type errorView struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, base := range slices.Compact([]string{"/" + Name, "/" + s.opts.Name}) {
		for pattern, call := range map[string]func(http.ResponseWriter, *http.Request) error{
			"POST %s/v1/intents":                     s.createIntent,
			"GET %s/v1/intents/{reference}":          s.fetchIntent,
			"POST %s/v1/intents/{reference}/cancel":  s.cancelIntent,
			"POST %s/v1/intents/{reference}/refunds": s.refundIntent,
			"GET %s/v1/ledger":                       s.showLedger,
			"GET %s/v1/chaos":                        s.showChaos,
			"PUT %s/v1/chaos":                        s.changeChaos,
			"POST %s/v1/outage":                      s.takeDown,
			"POST %s/v1/webhook-secrets":             s.rotate,
		} {
			mux.Handle(fmt.Sprintf(pattern, base), s.merchant(call))
		}
		mux.HandleFunc("GET "+base+"/pay/{reference}", s.showPage)
		mux.HandleFunc("POST "+base+"/pay/{reference}", s.pressPage)
	}
	return s.weather(mux)
}

// merchant lets only the holder of the API key through and writes errors.
func (s *Server) merchant(next func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		err := error(fault.New(fault.Unauthenticated, "wrong API key"))
		if s.opts.Secrets.API.Is(key) {
			err = next(w, r)
		}
		if err != nil {
			f := fault.From(err)
			if f.Code == fault.Internal {
				s.log.Error("sandbox provider request", "path", r.URL.Path, "error", err)
			}
			answer(w, statusOf(f.Code), errorView{Code: f.Code, Message: f.Text})
		}
	})
}

func statusOf(code fault.Code) int {
	switch code {
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.NotFound:
		return http.StatusNotFound
	case fault.KeyReused, fault.KeyMissing, fault.PaymentWindow, fault.Invalid:
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}

func (s *Server) createIntent(w http.ResponseWriter, r *http.Request) error {
	var body createBody
	hash, err := readBody(r, &body)
	if err != nil {
		return err
	}
	key := r.Header.Get("Idempotency-Key")
	if key == "" || len(key) > 255 {
		return fault.New(fault.KeyMissing, "Idempotency-Key must have 1 to 255 characters")
	}
	if err := body.check(); err != nil {
		return err
	}
	made, fresh, err := s.bank.create(intent{
		Key: key, BodyHash: hash, Order: body.Order, Amount: body.Amount, Currency: body.Currency,
		Description: body.Description, ReturnURL: body.ReturnURL, Locale: body.Locale, ExpiresAt: body.ExpiresAt,
	})
	if err != nil {
		return err
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
		s.tellEarly(r.Context(), made)
	}
	s.reply(w, r, reply{status, s.view(made)}, made, "create")
	return nil
}

// tellEarly is a webhook that is there before the answer.
func (s *Server) tellEarly(ctx context.Context, i intent) {
	if !i.has(Early) || i.has(Silence) || s.opts.WebhookURL == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := s.teller.post(ctx, newEvent(i, "intent.pending", i.CreatedAt), s.secrets.webhook(), s.opts.Clock()); err != nil {
		s.log.Debug("early webhook not taken", "error", err)
		return
	}
	s.chaos.did(Early)
}

// reply is an answer to be given.
type reply struct {
	status int
	body   any
}

// reply answers what was done, or does not, as the intent's faults say.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, is reply, i intent, call string) {
	switch {
	case s.chaos.strikes(i, NoAnswer, call):
		_, over, _ := s.chaos.down()
		s.hang(r, hangFor, over)
	case s.chaos.strikes(i, ErrorAfter, call):
		answer(w, http.StatusInternalServerError, errorView{Code: fault.Internal, Message: "something went wrong, after it was done"})
	default:
		answer(w, is.status, is.body)
	}
}

func (b createBody) check() error {
	if _, ok := money.Exponent(b.Currency); !ok || b.Amount <= 0 || b.Order.IsZero() {
		return fault.New(fault.Invalid, "order, a positive amount and a known currency are needed")
	}
	if u, err := url.Parse(b.ReturnURL); err != nil || !returnable(u) {
		return fault.New(fault.Invalid, "returnUrl must be http(s) or a path")
	}
	if len(b.Description) > 500 || len(b.ReturnURL) > 2000 || len(b.Locale) > 35 {
		return fault.New(fault.Invalid, "description, returnUrl or locale is too long")
	}
	return nil
}

// returnable accepts web addresses and paths on the fan's own origin, nothing that runs.
func returnable(u *url.URL) bool {
	if u.Scheme == "" {
		return u.Host == "" && strings.HasPrefix(u.Path, "/") && !strings.HasPrefix(u.Path, "//") && !strings.Contains(u.Path, `\`)
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func (s *Server) fetchIntent(w http.ResponseWriter, r *http.Request) error {
	found, err := s.bank.fetch(r.PathValue("reference"))
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, s.view(found))
	return nil
}

func (s *Server) cancelIntent(w http.ResponseWriter, r *http.Request) error {
	after, err := s.bank.cancel(r.PathValue("reference"))
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, s.view(after))
	return nil
}

func (s *Server) refundIntent(w http.ResponseWriter, r *http.Request) error {
	var body money.Amount
	if _, err := readBody(r, &body); err != nil {
		return err
	}
	key := r.Header.Get("Idempotency-Key")
	if key == "" || len(key) > 255 {
		return fault.New(fault.KeyMissing, "Idempotency-Key must have 1 to 255 characters")
	}
	of, made, err := s.bank.giveBack(r.PathValue("reference"), key, body)
	if err != nil {
		return err
	}
	s.reply(w, r, reply{http.StatusCreated, refundView{Status: made.Status, Amount: made.Amount}}, of, "refund")
	return nil
}

func (s *Server) view(i intent) intentView {
	return intentView{
		Reference: i.Reference, Order: i.Order, Status: i.State.status(), Reason: i.Reason, Amount: i.total(), Currency: i.Currency,
		Refunded: i.refunded(), PayURL: s.opts.PublicURL + "/" + s.opts.Name + "/pay/" + i.Reference, ExpiresAt: i.ExpiresAt,
	}
}

// readBody parses a JSON body and returns the hex SHA-256 of its bytes.
func readBody(r *http.Request, into any) (string, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "the body cannot be read or is larger than %d bytes", maxBody)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return "", fault.Wrap(err, fault.Invalid, "the body is not the JSON that is expected here")
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone: nothing to be done
}
