package fanoutbench_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"plateia/realtime/fanoutbench"
)

// roleVariable makes this test binary one of the bench's processes.
const roleVariable = "PLATEIA_FANOUT_ROLE"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(roleVariable) {
	case fanoutbench.RoleGateway:
		err = fanoutbench.ServeGateway(context.Background(), os.Stdin, os.Stdout, slog.New(slog.DiscardHandler))
	case fanoutbench.RoleViewers:
		err = fanoutbench.ServeViewers(context.Background(), os.Stdin, os.Stdout)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		panic(err)
	}
}

func testProcess(ctx context.Context, role string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	return cmd
}

func TestSmallRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the viewers need Linux")
	}
	report, err := fanoutbench.Run(t.Context(), fanoutbench.Options{
		Viewers: 200, Events: 2, Gateways: 2, Overview: 0.25, Rate: 200, Duration: time.Second, Rounds: 1, Hasty: true,
		Process: testProcess, Dir: t.TempDir(),
	}, func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	if report.Viewers != 200 || report.Dropped != 0 {
		t.Errorf("%d viewers, %d dropped", report.Viewers, report.Dropped)
	}
	if report.AllViewersP50Ms > report.AllViewersReadP50Ms || report.DeltaP99Ms > report.DeltaReadP99Ms {
		t.Errorf("frames came after they were read: %+v", report.Figures)
	}
	for name, figure := range map[string]float64{
		"memory": float64(report.RSSPerViewerBytes), "CPU": report.CPUPerFrameMicros, "last viewer": report.AllViewersP50Ms, "last viewer read": report.AllViewersReadP50Ms,
		"p50": report.DeltaP50Ms, "p99": report.DeltaP99Ms, "p50 read": report.DeltaReadP50Ms, "p99 read": report.DeltaReadP99Ms, "summaries": report.SummaryP99Ms,
		"frames": report.FramesPerSecond, "bytes": report.BytesPerViewerPerSecond,
	} {
		if figure <= 0 {
			t.Errorf("%s: %v was not measured", name, figure)
		}
	}
}

func TestReportHasTheKeysThatArePromised(t *testing.T) {
	raw, err := json.Marshal(fanoutbench.Report{Centrifugo: &fanoutbench.Figures{}})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"viewers", "rssPerViewerBytes", "cpuPerFrameMicros", "allViewersP50Ms", "deltaP50Ms", "deltaP99Ms",
		"framesPerSecond", "dropped", "bytesPerViewerPerSecond", "allViewersReadP50Ms", "deltaReadP50Ms", "deltaReadP99Ms",
	} {
		if _, ok := got[key]; !ok {
			t.Errorf("no key %s", key)
		}
		if _, ok := got["centrifugo"].(map[string]any)[key]; !ok {
			t.Errorf("no key %s of Centrifugo", key)
		}
	}
}

func TestPrintPutsBothSideBySide(t *testing.T) {
	var b strings.Builder
	r := fanoutbench.Report{Figures: fanoutbench.Figures{Viewers: 15}, Centrifugo: &fanoutbench.Figures{Viewers: 15}, Ratios: &fanoutbench.Ratios{}}
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(strings.Fields(strings.Split(b.String(), "\n")[1]), []string{"viewers", "15", "15"}) {
		t.Errorf("table:\n%s", b.String())
	}
}

func TestTooManyForOneProcess(t *testing.T) {
	_, err := fanoutbench.Run(t.Context(), fanoutbench.Options{Viewers: 20_000, Gateways: 1, Dir: t.TempDir()}, func(string) {})
	if err == nil {
		t.Error("20,000 connections of one process were promised")
	}
}
