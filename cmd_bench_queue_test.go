package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"plateia/edge/local"
	"plateia/waitingroom/linebench"
)

// Polls go through the product's own edge: however many there are, the origin is asked about once a second.
func TestBenchQueueAsksTheOriginOnceASecond(t *testing.T) {
	report, err := linebench.Run(t.Context(), linebench.Options{
		Mints: 50, Gates: 50, Clients: 8, Polling: 1500 * time.Millisecond,
		OpenEdge: func(ctx context.Context, origin string) (linebench.Edge, error) {
			target, err := url.Parse(origin)
			if err != nil {
				return linebench.Edge{}, err
			}
			edge, err := local.New(local.Options{API: local.At(target)})
			if err != nil {
				return linebench.Edge{}, err
			}
			var config net.ListenConfig
			listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
			if err != nil {
				return linebench.Edge{}, err
			}
			served := make(chan error, 1)
			go func() { served <- edge.Serve(listener) }()
			return linebench.Edge{
				Addr: listener.Addr().String(), CPU: func() time.Duration { return processCPU(os.Getpid()) },
				Stop: func() error { return errors.Join(edge.Stop(context.WithoutCancel(ctx)), <-served) },
			}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() || report.Polls < 20 || report.DocumentBytes == 0 {
		t.Errorf("%+v", report)
	}
	if requests := report.OriginRequestsPerSecond * report.Seconds; requests > report.Seconds+2 {
		t.Errorf("%d polls in %.1f s cost the origin %.0f requests", report.Polls, report.Seconds, requests)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"mintsPerCoreSecond", "gatesPerCoreSecond", "pollsPerCoreSecond", "originRequestsPerSecond"} {
		if !strings.Contains(string(text), `"`+key+`"`) {
			t.Errorf("no %s in %s", key, text)
		}
	}
}

func TestBenchQueueRefusesWhatCannotBeMeasured(t *testing.T) {
	for _, args := range []string{"--mints 0", "--gates -1", "--clients 0", "--clients 4001", "--seconds 0", "--seconds 61", "--seconds NaN", "more"} {
		_, err := call(t, append([]string{"bench", "queue"}, strings.Fields(args)...)...)
		var usage errUsage
		if !errors.As(err, &usage) {
			t.Errorf("%s: %v, want a usage error", args, err)
		}
	}
}
