package main

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/db"
	"plateia/edge/rehearse"
)

// lineCrowd is a sale with a lottery in front of a running plateia dev.
type lineCrowd struct {
	t        *testing.T
	url      string
	log      func() string
	data     string
	where    string // URL of its database; "": the private one of the data folder
	event    id.ID
	pulse    *pulse
	onSale   time.Time
	target   int
	fans     int           // before the sale; a quarter as many come after it
	arrival  time.Duration // over which they come; 0: until shortly before the sale
	entering time.Duration // from now to the on-sale instant; on a slow machine it is longer
	lineFor  time.Duration // from the on-sale instant until fans whom nobody has let in go home
}

// newLineCrowd is a short sale; with PLATEIA_CROWD it is of so many fans, as `make crowd` does.
func newLineCrowd(t *testing.T) *lineCrowd {
	t.Helper()
	c := &lineCrowd{t: t, pulse: takePulse(t), data: dataFolder(t), event: id.New(), fans: 160, target: 25, arrival: 4 * time.Second, entering: 20 * time.Second, lineFor: 24 * time.Second}
	if n, err := strconv.Atoi(os.Getenv("PLATEIA_CROWD")); err == nil {
		c.fans, c.target, c.arrival, c.entering, c.lineFor = n*4/5, 250, 0, 120*time.Second, 65*time.Second
	} else {
		c.where = demoSeed.URL(t)
	}
	var more []string
	if c.where != "" {
		more = []string{"--database", c.where}
	}
	dev := startDev(t, c.data, more...)
	c.url, c.log = dev.url, dev.log
	return c
}

// database calls do with the running program's own database.
func (c *lineCrowd) database(do func(d *db.DB) error) {
	c.t.Helper()
	where := databaseFlags{testEnv(nil), &c.data, &c.where}
	if err := where.use(c.t.Context(), func(d *db.DB, _ bool) error { return do(d) }); err != nil {
		c.t.Fatal(err)
	}
}

// schedule puts the stadium of the demo on sale again, in a while, with a room of its own.
func (c *lineCrowd) schedule() {
	c.t.Helper()
	c.database(func(d *db.DB) error {
		catalog := db.NewCatalog(d)
		e, err := catalog.Event(c.t.Context(), mustID("5ad10000-0000-4000-8000-000000000001"))
		if err != nil {
			return err
		}
		// On a busy machine making 65,378 seats takes a while, and a room is armed an hour ahead: the instant is set afterwards.
		e.ID, e.Title, e.State, e.OnSaleAt = c.event, "Crowd", event.Scheduled, time.Now().Add(3*time.Hour)
		e.Rules.Inside = c.target
		began := time.Now()
		if _, err = catalog.CreateEvent(c.t.Context(), e); err != nil {
			return err
		}
		if took := time.Since(began); c.where != "" { // a second or so of work says how slow the machine is just now
			c.entering += 4 * took
			c.lineFor += 4 * took
		}
		c.onSale = time.Now().UTC().Add(c.entering).Truncate(time.Second)
		_, err = d.Pool().Exec(c.t.Context(), "update event set on_sale_at = $1 where event_id = $2", c.onSale, [16]byte(c.event))
		return err
	})
}

// watch reads how many are inside, four times a second, until stopped; stop returns the most.
func (c *lineCrowd) watch() (stop func() int) {
	ctx, cancel := context.WithCancel(c.t.Context())
	var watching sync.WaitGroup
	most, readings := 0, 0
	watching.Go(func() {
		c.database(func(d *db.DB) error {
			for ctx.Err() == nil {
				inside := 0
				err := d.Pool().QueryRow(ctx, "select count(*) from admission where event_id = $1 and admitted_at is not null and left_at is null", [16]byte(c.event)).Scan(&inside)
				if err == nil {
					most, readings = max(most, inside), readings+1
				}
				select {
				case <-ctx.Done():
				case <-time.After(250 * time.Millisecond):
				}
			}
			return nil
		})
	})
	return func() int {
		cancel()
		watching.Wait()
		if readings < 20 {
			c.t.Errorf("the room was looked at %d times", readings)
		}
		return most
	}
}

// rehearse lets fans loose and returns what they met.
func (c *lineCrowd) rehearse(fans int, more ...string) (r rehearse.Report) {
	out, err := call(c.t, append([]string{
		"rehearse", "--url", c.url, "--event", c.event.String(), "--fans", strconv.Itoa(fans), "--parallel", strconv.Itoa(fans),
		"--connections", strconv.Itoa(min(fans/5, 3200)), "--viewers", "50", "--hot", "10", "--json", // with those who come late 4,000 at most
	}, more...)...)
	if err != nil {
		c.t.Errorf("rehearse: %v", err)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		c.t.Errorf("%v: %s", err, out)
	}
	c.t.Logf("%s", out)
	return r
}

// check wants of a report that nobody got an answer of 500 or more and that everybody who was let in has bought.
func (c *lineCrowd) check(r rehearse.Report) {
	c.t.Helper()
	shed := r.Shed
	if c.pulse.starved() { // then "one moment" is the right answer
		shed = 0
	}
	if r.Errors5xx > 0 || shed > 0 || r.Broken > 0 || r.ErrorsByCode["CONNECTION"] > 0 {
		c.t.Errorf("%d answers of 500 or more, %d of 503, %d broken (%s), by code %v", r.Errors5xx, r.Shed, r.Broken, r.FirstBroken, r.ErrorsByCode)
	}
	if r.Bought != r.Admitted || r.Bought+r.LeftLine != r.Fans || r.Line.Entered != r.Fans {
		c.t.Errorf("of %d fans %d entered, %d were let in, %d of them bought, %d went home", r.Fans, r.Line.Entered, r.Admitted, r.Bought, r.LeftLine)
	}
}

// play holds the sale: four fifths of the fans enter before it begins, and one fifth after.
func (c *lineCrowd) play() (early, late rehearse.Report, most int) {
	c.t.Helper()
	stop := c.watch()
	var playing sync.WaitGroup
	playing.Go(func() {
		early = c.rehearse(c.fans, "--lottery", "--arrival", c.arrival.String(), "--line-for", c.lineFor.String())
	})
	time.Sleep(time.Until(c.onSale))
	late = c.rehearse(c.fans/4, "--connections", strconv.Itoa(min(c.fans/5, 800)), "--arrival", (c.lineFor / 2).String(), "--line-for", c.lineFor.String())
	playing.Wait()
	return early, late, stop()
}

// A crowd comes over real HTTP, most of it before the sale begins, to a room that holds a small part of it: nobody gets an answer of
// 500 or more, the shop holds its target, whoever is let in buys, and the record of the draw passes its audit.
func TestACrowdComesThroughTheLine(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the whole program and sells for a minute")
	}
	t.Parallel()
	c := newLineCrowd(t)
	c.schedule()
	early, late, most := c.play()
	c.check(early)
	c.check(late)
	if float64(most) > 1.05*float64(c.target) || most == 0 {
		t.Errorf("%d were inside at most, the target is %d", most, c.target)
	}
	if early.Line.Lottery+early.Line.Late != early.Fans || early.Line.Lottery == 0 || late.Line.Late != late.Fans || early.Bought == 0 {
		t.Errorf("%d of %d are in the lottery, %d of %d came late, %d bought", early.Line.Lottery, early.Fans, late.Line.Late, late.Fans, early.Bought)
	}
	for line := range strings.Lines(c.log()) {
		if strings.Contains(line, "level=ERROR") && !c.pulse.starved() && !strings.Contains(line, "no beacon round") { // a machine without the internet
			t.Error(line)
		}
	}
	wantClean(t, c.event.String(), c.data, "--database", c.where)
	c.checkRecord()
}
