package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

var (
	metricName = regexp.MustCompile(`plateia_[a-z0-9_]+`)
	selector   = regexp.MustCompile(`(plateia_[a-z0-9_]+)\{([^}]*)\}`)
	matcher    = regexp.MustCompile(`([a-z]+)(=~|!=|=)"([^"]*)"`)
)

// expressions are all of the alert rules and of the dashboard, by where they stand.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	readInto(t, filepath.Join("deploy", "alerts", "plateia.yaml"), func(raw []byte) error { return yaml.Unmarshal(raw, &rules) })
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" || r.Expr == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
				t.Errorf("rule %q of %s lacks a name, an expression, a severity or a summary", r.Alert, g.Name)
			}
			out["alert "+r.Alert] = r.Expr
		}
	}
	for _, name := range []string{"plateia.json", "live.json", "rooms.json"} {
		addPanels(t, filepath.Join("deploy", "grafana", name), out)
	}
	return out
}

func addPanels(t *testing.T, path string, out map[string]string) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	readInto(t, path, func(raw []byte) error { return json.Unmarshal(raw, &board) })
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			out["panel "+p.Title] += " " + target.Expr
		}
		if len(p.Targets) == 0 {
			t.Errorf("panel %q of %s shows nothing", p.Title, path)
		}
	}
}

func readInto(t *testing.T, path string, parse func([]byte) error) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = parse(raw)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// wantAlerts are those that the documents ask for.
var wantAlerts = []string{"DoubleSale", "PaymentErrorsHigh", "HoldExpiryHigh", "WebhookFlagged", "OrderInReview", "PaymentBreakerOpen", "MapLate", "MapWrong", "GatewayFull", "ClaimsAllRefused", "KeysMispaired", "RoomOverfull", "RoomStandsStill", "RoomWithoutLeader", "RoomPausedLong", "PartnersOld"}

// armRoom asks for the line of the first event that is listed: the first question arms it.
func armRoom(t *testing.T, url string) {
	t.Helper()
	var list struct{ Events []struct{ EventID string } }
	for _, ask := range []func() string{func() string { return "/v1/events" }, func() string { return "/v1/events/" + list.Events[0].EventID + "/frontier" }} {
		answer, err := http.Get(url + ask())
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(answer.Body).Decode(&list); err != nil || answer.StatusCode != http.StatusOK || len(list.Events) == 0 {
			t.Fatalf("%s: %d, %v, %d events", ask(), answer.StatusCode, err, len(list.Events))
		}
		_ = answer.Body.Close()
	}
}

func metricsOf(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// What dashboards and alerts name is what /metrics of the running program prints: name, label and value.
func TestDashboardsAndAlertsNameRealMetrics(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	p := startDev(t, dataFolder(t), "--database", demoSeed.URL(t))
	armRoom(t, p.url)
	page := metricsOf(t, p.url)
	for deadline := time.Now().Add(time.Minute); !strings.Contains(page, "plateia_room_") && time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		page = metricsOf(t, p.url) // a room is read a moment after it was armed
	}
	all := expressions(t)
	for where, expr := range all {
		for _, name := range metricName.FindAllString(expr, -1) {
			if !strings.Contains(page, "\n"+name+"{") && !strings.Contains(page, "\n"+name+" ") {
				t.Errorf("%s names %s, which /metrics does not print", where, name)
			}
		}
		for _, s := range selector.FindAllStringSubmatch(expr, -1) {
			for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
				for _, value := range strings.Split(m[3], "|") {
					if !regexp.MustCompile(`(?m)^` + s[1] + `\{[^}]*` + m[1] + `="` + regexp.QuoteMeta(value) + `"`).MatchString(page) {
						t.Errorf("%s selects %s with %s %q, which /metrics does not print", where, s[1], m[1], value)
					}
				}
			}
		}
		if strings.Count(expr, "(") != strings.Count(expr, ")") {
			t.Errorf("%s: brackets do not close: %s", where, expr)
		}
	}
	for _, name := range wantAlerts {
		if _, ok := all["alert "+name]; !ok {
			t.Errorf("there is no alert %s", name)
		}
	}
	for _, line := range strings.Split(page, "\n") { // the other way: a name of ours has its help, and is a word of ours
		if name, help, ok := strings.Cut(strings.TrimPrefix(line, "# HELP "), " "); ok && strings.HasPrefix(line, "# HELP plateia_") && (help == "" || strings.HasSuffix(name, "_ms")) {
			t.Errorf("%s: no help, or a unit that is not Prometheus' own", name)
		}
	}
	if slices.Contains(strings.Split(page, "\n"), "plateia_double_sold_seats 0") == false {
		t.Error("a fresh program counts double-sold seats, or does not count")
	}
	if err := p.stop(syscall.SIGTERM); err != nil {
		t.Errorf("stop: %v", err)
	}
}
