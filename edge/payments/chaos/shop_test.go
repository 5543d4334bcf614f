package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"plateia/core/checkout"
	"plateia/core/clocktest"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/secret"
	"plateia/db"
	"plateia/edge/payments/sandbox"
)

// shopConfig is what a checkout process is told when it starts.
type shopConfig struct {
	URL   string        // of the database
	Banks []bankConfig  // in the order in which they are tried
	Ahead time.Duration // how far its clock is ahead
	Log   bool
}

type bankConfig struct{ Name, URL, Key, Webhook string }

// minWindow is the shortest payment that these banks accept; far below the product's, because the run is short.
const minWindow = 5 * time.Second

// shop is a checkout process: engine, checkout and the routes that fans and banks need of it.
type shop struct {
	inv   *inventory.Inventory
	pay   *checkout.Service
	clock clocktest.Clock
}

// runShop is a checkout process. It ends when its parent does, however that ends.
func runShop(conf shopConfig) error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	if conf.Log {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	}
	d, err := db.Open(ctx, conf.URL, db.Options{MaxConns: 16, Logger: log})
	if err != nil {
		return err
	}
	store, err := db.OpenInventory(ctx, d, 4)
	if err != nil {
		return err
	}
	s := &shop{inv: inventory.New(store, db.NewCatalog(d), nil, inventory.Options{Logger: log, Sweep: true})}
	s.clock.SetAhead(conf.Ahead)
	s.pay, err = checkout.New(db.NewOrders(d), s.inv, checkout.Options{
		Providers: s.banks(conf.Banks), Clock: s.clock.Now, Logger: log, Workers: 32, Every: 100 * time.Millisecond, CallTimeout: time.Second,
	})
	if err != nil {
		return err
	}
	if err := errors.Join(s.inv.Start(ctx), s.pay.Start(ctx)); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, _ = os.Stdout.WriteString("ready " + listener.Addr().String() + "\n")
	server := &http.Server{Handler: s.routes(), ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(listener)
}

func (s *shop) banks(confs []bankConfig) []payment.Provider {
	var out []payment.Provider
	for _, c := range confs {
		out = append(out, sandbox.NewProvider(sandbox.ProviderOptions{
			Name: c.Name, BaseURL: c.URL, Timeout: time.Second, MinWindow: minWindow, Clock: s.clock.Now,
			Secrets: sandbox.Secrets{API: secret.New(c.Key), Webhook: []secret.Text{secret.New(c.Webhook)}},
		}))
	}
	return out
}

// ask is what a fan wants.
type ask struct {
	Event   id.ID
	Account id.ID
	Order   id.ID
	Key     string
	Seats   []seatmap.Ordinal
	Ahead   time.Duration
}

// told is what a fan is told.
type told struct {
	Code      fault.Code // "" when done
	Text      string
	Order     id.ID
	Status    string
	Attempt   string // its status
	ActionURL string
}

func (s *shop) routes() http.Handler {
	mux := http.NewServeMux()
	for path, do := range map[string]func(context.Context, ask) (told, error){
		"POST /buy": s.buy, "POST /again": s.again, "POST /cancel": s.cancel, "POST /order": s.order, "POST /clock": s.setClock, "POST /refund": s.refund,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			var a ask
			if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			t, err := do(r.Context(), a)
			if err != nil {
				t.Code, t.Text = fault.CodeOf(err), err.Error()
			}
			_ = json.NewEncoder(w).Encode(t)
		})
	}
	mux.HandleFunc("POST /hooks/{bank}", s.hook)
	return mux
}

func (a ask) key(what string) inventory.Idempotency {
	return inventory.Idempotency{Key: what + a.Key, BodyHash: [32]byte{byte(len(what))}}
}

// buy holds seats and orders them; both under keys, so that it can be repeated.
func (s *shop) buy(ctx context.Context, a ask) (told, error) {
	out, err := s.inv.Do(ctx, a.Event, inventory.PlaceHold{Hold: id.New(), Account: a.Account, Seats: a.Seats, Idempotency: a.key("hold")})
	if err != nil {
		return told{}, err
	}
	o, err := s.pay.Place(ctx, a.Account, out.Hold.ID, a.key("order"))
	return told{Order: o.ID, Status: string(o.Status)}, err
}

func (s *shop) again(ctx context.Context, a ask) (told, error) {
	o, err := s.pay.PayAgain(ctx, a.Account, a.Order, a.key("again"))
	return told{Order: o.ID, Status: string(o.Status)}, err
}

func (s *shop) cancel(ctx context.Context, a ask) (told, error) {
	o, err := s.pay.Cancel(ctx, a.Account, a.Order, nil, a.key("cancel"))
	return told{Order: o.ID, Status: string(o.Status)}, err
}

func (s *shop) order(ctx context.Context, a ask) (told, error) {
	d, err := s.pay.Find(ctx, a.Account, a.Order)
	t := told{Order: d.Order.ID, Status: string(d.Order.Status)}
	if d.Attempt != nil {
		t.Attempt, t.ActionURL = string(d.Attempt.Status), d.Attempt.ActionURL
	}
	return t, err
}

// refund is what an operator decides about an order in review.
func (s *shop) refund(ctx context.Context, a ask) (told, error) {
	o, err := s.pay.Resolve(ctx, a.Order, checkout.ActionRefund, "operator", "the amounts do not match")
	return told{Order: o.ID, Status: string(o.Status)}, err
}

func (s *shop) setClock(_ context.Context, a ask) (told, error) {
	s.clock.SetAhead(a.Ahead)
	return told{}, nil
}

// hook is the webhook route, as the API has it.
func (s *shop) hook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err == nil {
		err = s.pay.Receive(r.Context(), r.PathValue("bank"), r.Header, body)
	}
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case fault.CodeOf(err) == fault.Unauthenticated:
		w.WriteHeader(http.StatusUnauthorized)
	default:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}
