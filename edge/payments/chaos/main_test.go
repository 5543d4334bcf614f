package chaos_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
)

var (
	full   = flag.Bool("payments.full", false, "the whole run: 10,000 orders, 20 kills")
	orders = flag.Int("payments.orders", 10_000, "another number of orders for the whole run")
	seed   = flag.Uint64("payments.seed", 0, "repeat the faults of a run; 0: a new seed")
)

// asShop makes the test binary a checkout process, so that a test can kill it. Its value is a shopConfig.
const asShop = "PLATEIA_CHAOS_SHOP"

func TestMain(m *testing.M) {
	if text := os.Getenv(asShop); text != "" {
		var conf shopConfig
		err := json.Unmarshal([]byte(text), &conf)
		if err == nil {
			err = runShop(conf)
		}
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
