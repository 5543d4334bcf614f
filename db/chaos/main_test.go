package chaos_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
)

var (
	full = flag.Bool("chaos.full", false, "the whole run: 5,000 seats")
	seed = flag.Uint64("chaos.seed", 0, "repeat the faults of a run; 0: a new seed")
)

// asEngine makes the test binary an engine process, so that a test can kill it. Its value is an engineConfig.
const asEngine = "PLATEIA_CHAOS_ENGINE"

func TestMain(m *testing.M) {
	if text := os.Getenv(asEngine); text != "" {
		var conf engineConfig
		err := json.Unmarshal([]byte(text), &conf)
		if err == nil {
			err = runEngine(conf)
		}
		fmt.Fprintln(os.Stderr, "engine:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
