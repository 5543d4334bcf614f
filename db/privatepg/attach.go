package privatepg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Running returns the URL of the server that another process runs on the
// folder, waiting a little for one that is starting; false when none does.
func Running(ctx context.Context, dir string) (string, bool) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", false
	}
	data := filepath.Join(real, "data")
	var p postmaster
	ok := until(ctx, 10*time.Second, func() bool {
		var found bool
		p, found = readPostmaster(data)
		return !found || !p.runs(data) || p.ready
	})
	if !ok || !p.ready || !p.runs(data) {
		return "", false
	}
	return socketURL(p.socket, p.port, Database), true
}

// Reach gives the URL of the folder's database whether or not another process
// runs its server: it connects to that one, or starts one that stop stops.
// stop is nil for a server that is somebody else's.
func Reach(ctx context.Context, opts Options) (url string, stop func(context.Context) error, err error) {
	if url, ok := Running(ctx, opts.Dir); ok {
		return url, nil, nil
	}
	if _, err := os.Stat(filepath.Join(opts.Dir, "data", "PG_VERSION")); err != nil {
		return "", nil, fmt.Errorf("%s has no private database", opts.Dir)
	}
	s, err := Start(ctx, opts)
	if err != nil {
		return "", nil, fmt.Errorf("reach the database of %s: %w", opts.Dir, err)
	}
	return s.URL(Database), s.Stop, nil
}
