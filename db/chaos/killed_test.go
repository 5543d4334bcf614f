package chaos_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/db/dbtest/wireproxy"
)

// A process that is killed between COMMIT and its answer has told nobody; the next one knows.
func TestKilledBetweenCommitAndAnswer(t *testing.T) {
	th := openTheatre(t)
	want := th.unharmed(t)
	each(t, th, few, func(s *stage, c repeatable) error {
		for tries := 0; tries < 5; tries++ {
			killed, err := killedAtCommit(t, th, s, c, want[c.name])
			if killed || err != nil {
				return err
			}
			s = th.stage(t)
		}
		return errors.New("the database was never reached in time") // on a machine that stands still it may be so once
	})
}

// killedAtCommit runs a command in a process that is killed at COMMIT. A process that cannot reach the database in time
// says so, is repeated like the others, and is not killed.
func killedAtCommit(t *testing.T, th *theatre, s *stage, c repeatable, want string) (killed bool, err error) {
	proxy, err := wireproxy.TCP(th.truth.URL())
	if err != nil {
		return false, err
	}
	defer proxy.Close()
	p := &process{conf: engineConfig{URL: proxy.URL(), Socket: filepath.Join(socketFolder(t), "s")}}
	if err := p.spawn(); err != nil {
		return false, err
	}
	defer p.kill()
	plan := wireproxy.NewScript(commitStep(wireproxy.Fault{Deed: wireproxy.Silence, Point: wireproxy.After}))
	proxy.Plan(func(st wireproxy.Statement) *wireproxy.Fault {
		f := plan.Plan(st)
		if f != nil {
			go func() {
				time.Sleep(100 * time.Millisecond) // the database does it
				p.kill()
			}()
		}
		return f
	})
	first, err := wounded(s, c, func() doer { return p }, want)
	switch killed = plan.Done() == 1; {
	case err != nil:
		return killed, err
	case killed && (first.Code != "" || first.Out.Hold.State != 0):
		return true, fmt.Errorf("killed, and answered %+v", first)
	case !killed && first.Code != fault.Busy:
		return false, fmt.Errorf("not killed, and answered %+v", first)
	}
	return killed, nil
}
