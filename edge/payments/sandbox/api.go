package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
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
	mux.Handle("POST /sandbox/v1/intents", s.merchant(s.createIntent))
	mux.Handle("GET /sandbox/v1/intents/{reference}", s.merchant(s.fetchIntent))
	mux.Handle("POST /sandbox/v1/intents/{reference}/cancel", s.merchant(s.cancelIntent))
	mux.Handle("POST /sandbox/v1/intents/{reference}/refunds", s.merchant(s.refundIntent))
	mux.HandleFunc("GET /sandbox/pay/{reference}", s.showPage)
	mux.HandleFunc("POST /sandbox/pay/{reference}", s.pressPage)
	return mux
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
	}
	answer(w, status, s.view(made))
	return nil
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
	made, err := s.bank.giveBack(r.PathValue("reference"), key, body)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, refundView{Status: payment.RefundDone, Amount: made.Amount})
	return nil
}

func (s *Server) view(i intent) intentView {
	return intentView{
		Reference: i.Reference, Order: i.Order, Status: i.State.status(), Reason: i.Reason, Amount: i.Amount, Currency: i.Currency,
		Refunded: i.refunded(), PayURL: s.opts.PublicURL + "/sandbox/pay/" + i.Reference, ExpiresAt: i.ExpiresAt,
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
