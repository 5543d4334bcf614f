package mint

import (
	"context"
	"strings"
	"sync"
)

// devNonces is how many nonces are remembered at least, and half of how many at most.
const devNonces = 100_000

// Dev is the challenge of development, which anything solves that can count: "dev:" and a nonce, each once.
// Safe for concurrent use.
type Dev struct {
	mu         sync.Mutex
	young, old map[string]bool
}

// Check implements Challenge.
func (d *Dev) Check(_ context.Context, response, _ string) error {
	nonce, ours := strings.CutPrefix(response, "dev:")
	switch {
	case response == "":
		return required("dev", "missing")
	case !ours || nonce == "" || len(nonce) > 64:
		return required("dev", "failed")
	case !d.use(nonce):
		return required("dev", "used")
	}
	return nil
}

func (d *Dev) use(nonce string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.young[nonce] || d.old[nonce] {
		return false
	}
	if d.young == nil || len(d.young) >= devNonces {
		d.young, d.old = make(map[string]bool), d.young
	}
	d.young[nonce] = true
	return true
}
