package door

import (
	"context"
	"testing"

	"plateia/core/fault"
	"plateia/core/id"
)

// Whoever was admitted to a presale has it in the token, which is how its seats are told from the public's.
func TestTheTokenNamesTheChannel(t *testing.T) {
	r := openRoom(t, 10)
	member := r.fan()
	r.opts.Channel = func(_ context.Context, event, account id.ID) (int, error) {
		if event != r.show.e.ID || account != member.who.Account {
			return 0, fault.New(fault.Forbidden, "only for members of the fan club")
		}
		return 2, nil
	}
	stranger := r.fan()
	member.enter()
	stranger.enter()
	r.tick()
	if x := member.mustClaim(); x.Channel != 2 {
		t.Errorf("admitted to %+v", x)
	}
	_, err := stranger.claim()
	refused(t, err, fault.Forbidden)
}
