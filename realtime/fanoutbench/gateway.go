package fanoutbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/pprof"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/realtime/gateway"
	"plateia/realtime/stream"
)

// gatewayTask is what a gateway process is told first; it answers with its address.
type gatewayTask struct {
	NATS    string `json:"nats"`
	Truth   string `json:"truth"`             // URL of the database
	Profile string `json:"profile,omitempty"` // file for a CPU profile, from "profile" to "usage"
}

// ServeGateway is a gateway process: its task comes from in, it answers each "usage" with one, and it ends with in.
func ServeGateway(ctx context.Context, in io.Reader, out io.Writer, log *slog.Logger) error {
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	var task gatewayTask
	if err := orders.Decode(&task); err != nil {
		return fmt.Errorf("fanoutbench: the task: %w", err)
	}
	s, err := stream.Connect(ctx, stream.Options{URL: task.NATS, Logger: log})
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("fanoutbench: %w", err)
	}
	g := gateway.New(gateway.Options{Verify: verify, Log: s, Source: truth{task.Truth}, Logger: log})
	served := make(chan error, 1)
	go func() { served <- g.Serve(l) }()
	err = answers.Encode(l.Addr().String())
	for what := ""; err == nil; {
		if err = orders.Decode(&what); err == nil {
			err = answerGateway(answers, g, what, task.Profile)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	pprof.StopCPUProfile()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = g.Stop(stopping) // the viewers are gone or will be
	return errors.Join(err, <-served)
}

func answerGateway(answers *json.Encoder, g *gateway.Gateway, what, profile string) error {
	if what == "profile" && profile != "" {
		f, err := os.Create(profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			return fmt.Errorf("fanoutbench: profile: %w", err)
		}
	}
	u := ownUsage()
	stats := g.Stats()
	u.Frames, u.Slow = stats.Frames, stats.Hub.Slow
	return answers.Encode(u)
}

// token says who a viewer of the bench is. It is not signed: what checking a signature costs is another figure.
func token(event, account id.ID) string { return event.String() + account.String() }

func verify(token string) (account.Access, error) {
	if len(token) != 72 {
		return account.Access{}, fault.New(fault.Unauthenticated, "not a token of the bench")
	}
	event, eventErr := id.Parse(token[:36])
	who, err := id.Parse(token[36:])
	return account.Access{Event: event, Account: who, ExpiresAt: time.Now().Add(24 * time.Hour)}, errors.Join(eventErr, err)
}
