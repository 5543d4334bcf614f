package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/db/dbtest"
	"plateia/db/holdbench"
)

// A short run over HTTP, through the product's own API: counts, not speed.
func TestBenchOverHTTP(t *testing.T) {
	url := dbtest.URL(t)
	for _, contention := range []string{holdbench.Spread, holdbench.Hot} {
		report, err := holdbench.Run(t.Context(), holdbench.Options{
			Mode: holdbench.HTTP, Contention: contention, Clients: 20, URL: url, Duration: 30 * time.Second, // which is never over: 150 holds are
			AtMost: 150, HotSeats: 5, HotBuyers: 20, Site: benchSite(env{stderr: t.Output()}, new(contention == holdbench.Hot)),
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			if r.DoubleSold > 0 || r.Holds == 0 || r.Connections != 20 {
				t.Errorf("%s: %+v", contention, r)
			}
			if r.Race != nil && (r.Race.SeatsSold > 5 || r.Holds+r.Race.Refused+r.Errors != 100) {
				t.Errorf("%+v, %+v", r, r.Race)
			}
		}
		if want := map[string]int{holdbench.Spread: 2, holdbench.Hot: 1}[contention]; len(report.Results) != want {
			t.Errorf("%s: %d measurements, want %d", contention, len(report.Results), want)
		}
	}
}

// The site signs with the authority that the API believes, and only that one.
func TestBenchSiteIsTheProduct(t *testing.T) {
	site, err := benchSite(env{stderr: t.Output()}, new(bool))(t.Context(), dbtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := site.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	event := id.New()
	token, err := site.Mint(account.Access{Event: event, Account: id.New(), Session: id.New(), KeyThumb: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for bearer, code := range map[string]fault.Code{token: fault.NotFound, token[1:]: fault.QueueRequired} {
		if got := postHold(t, site.Addr, event, bearer); got != code {
			t.Errorf("%s, want %s", got, code)
		}
	}
}

func TestBenchRefusesWhatCannotBeMeasured(t *testing.T) {
	for _, args := range []string{
		"--mode slow", "--contention warm", "--contention hot", "--contention hot --mode naive", "--clients -1", "--clients 20001",
		"--mode naive --clients 101", "--mode http --clients 4001", "--engines 0", "--engines 9 --mode engine", "--engines 2",
		"--engines 2 --mode http", "--seconds 0", "--seconds 61", "--seconds NaN", "--redis nowhere", "--redis :6379", "--redis a:0",
		"--redis auto --mode engine --contention hot", "--database mysql://x/y", "--cpuprofile /nowhere/at/all", "more",
	} {
		_, err := call(t, append([]string{"bench", "holds"}, strings.Fields(args)...)...)
		var usage errUsage
		if !errors.As(err, &usage) {
			t.Errorf("%s: %v, want a usage error", args, err)
		}
	}
}

func TestBenchSaysJSON(t *testing.T) {
	out, err := call(t, "bench", "holds", "--mode", "naive", "--clients", "2", "--seconds", "0.1", "--json", "--database", dbtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Mode    string
		Clients int
		Results []map[string]any
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Mode != "naive" || got.Clients != 2 || len(got.Results) != 1 {
		t.Fatalf("%s: %v", out, err)
	}
	for _, key := range []string{"mode", "contention", "clients", "holdsPerSecond", "p50Ms", "p99Ms", "clientMicros", "retries", "doubleSold", "holds", "errors", "seconds"} {
		if _, ok := got.Results[0][key]; !ok {
			t.Errorf("no %q in %s", key, out)
		}
	}
}

// postHold presses the button and returns the code of the refusal.
func postHold(t *testing.T, addr string, event id.ID, bearer string) fault.Code {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/v1/events/"+event.String()+"/holds", strings.NewReader(`{"seatIds":["A-1-1"]}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	request.Header.Set("Idempotency-Key", "k")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	var problem struct{ Code fault.Code }
	if err := json.NewDecoder(answer.Body).Decode(&problem); err != nil {
		t.Fatal(err)
	}
	return problem.Code
}
