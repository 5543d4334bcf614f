package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/id"
)

// Region is a place with NATS servers of its own. Where there are several, each keeps a
// stream of what its own processes publish (SEATS_OUT_<region>) and one that gathers
// the streams of all regions (SEATS_<region>), which its gateways read: whoever looks
// at a map waits for nobody outside, and a region that is away is missed by nobody
// but its own. What it had published and not yet sent is found in the outbox, see Relay.
type Region struct {
	Name   string
	Domain string // of its JetStream, when that is one of its own; empty: one JetStream reaches over all regions
}

var regionName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_-]{0,62}$`)

// checkRegions reports the first fault of Region and Regions.
func (o Options) checkRegions() error {
	if o.Region == "" {
		if len(o.Regions) > 0 {
			return errors.New("stream: there are regions, but it is not said which of them this is")
		}
		return nil
	}
	for _, r := range o.Regions {
		if !regionName.MatchString(r.Name) || r.Domain != "" && !regionName.MatchString(r.Domain) {
			return fmt.Errorf("stream: %q in domain %q is no name of a region", r.Name, r.Domain)
		}
	}
	if !slices.ContainsFunc(o.Regions, func(r Region) bool { return r.Name == o.Region }) {
		return fmt.Errorf("stream: %q is none of the regions", o.Region)
	}
	return nil
}

// outName is the stream of a region's own publications; outSubject is where they go.
func (o Options) outName(region string) string     { return o.base + "_OUT_" + region }
func (o Options) outSubjects(region string) string { return o.Subjects + "." + region + ".*" }

// publishSubject is where a batch of this region goes.
func (c *Client) publishSubject(event id.ID) string {
	if c.o.Region == "" {
		return c.subject(event)
	}
	return c.o.Subjects + "." + c.o.Region + "." + event.String()
}

// tailSubject is where batches of all regions can be heard.
func (c *Client) tailSubject() string {
	if c.o.Region == "" {
		return c.o.Subjects + ".*"
	}
	return c.o.Subjects + ".*.*"
}

// domain of the stream that this client reads.
func (o Options) domain() string {
	for _, r := range o.Regions {
		if r.Name == o.Region {
			return r.Domain
		}
	}
	return ""
}

// sources are the streams that this region's stream gathers.
func (o Options) sources() (all []*jetstream.StreamSource) {
	for _, r := range o.Regions {
		s := &jetstream.StreamSource{
			Name:              o.outName(r.Name),
			SubjectTransforms: []jetstream.SubjectTransformConfig{{Source: o.outSubjects(r.Name), Destination: o.Subjects + ".{{wildcard(1)}}"}},
		}
		if r.Domain != o.domain() {
			s.External = &jetstream.ExternalStream{APIPrefix: "$JS." + r.Domain + ".API"}
		}
		all = append(all, s)
	}
	return all
}

// outConfig is the configuration of the stream of this region's own publications.
func (c *Client) outConfig() jetstream.StreamConfig {
	out := c.config(0)
	out.Name, out.Subjects, out.Sources = c.o.outName(c.o.Region), []string{c.o.outSubjects(c.o.Region)}, nil
	return out
}

// lookOut makes sure that there is a stream for this region's publications.
func (c *Client) lookOut(ctx context.Context, restart bool) error {
	if c.o.Region == "" {
		return nil
	}
	s, err := c.js.Stream(ctx, c.o.outName(c.o.Region))
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		_, err = c.js.CreateStream(ctx, c.outConfig())
	case err == nil && restart: // its newest messages may be lost: those who gathered them begin anew
		_, err = c.js.UpdateStream(ctx, restarted(s.CachedInfo()))
	}
	if err != nil {
		return fmt.Errorf("stream: %s: %w", c.o.outName(c.o.Region), err)
	}
	return nil
}

// watchRegions keeps this region's stream gathering.
func (c *Client) watchRegions(ctx context.Context) {
	ticker := time.NewTicker(c.o.CheckEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if !c.conn.IsConnected() {
			continue
		}
		if err := c.nudge(ctx); err != nil && ctx.Err() == nil {
			c.log.Warn("stream: cannot look after the regions' streams", "error", err)
		}
	}
}

const (
	nudgedKey  = "plateia-nudged" // in the gathering stream's metadata: when, as Unix seconds
	nudgeEvery = 5 * time.Second
)

// nudge has the server gather a stream again that can be reached and has not been
// heard of for a while. By itself it was seen to take 40 s after a region's return.
func (c *Client) nudge(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := c.js.Stream(ctx, c.o.Name)
	if err != nil {
		return err
	}
	info := s.CachedInfo()
	last, _ := strconv.ParseInt(info.Config.Metadata[nudgedKey], 10, 64)
	if time.Since(time.Unix(last, 0)) < nudgeEvery || time.Since(info.Created) < nudgeEvery {
		return nil
	}
	quiet := map[string]bool{} // names of streams
	for _, r := range c.o.Regions {
		heard := slices.ContainsFunc(info.Sources, func(s *jetstream.StreamSourceInfo) bool {
			return s.Name == c.o.outName(r.Name) && s.Active >= 0 && s.Active <= silentAfter
		})
		if !heard && c.reaches(ctx, r) {
			quiet[c.o.outName(r.Name)] = true
		}
	}
	if len(quiet) == 0 {
		return nil
	}
	c.log.Info("stream: gathering again from regions that are back", "streams", slices.Sorted(maps.Keys(quiet)))
	config := info.Config
	config.Metadata = maps.Clone(config.Metadata)
	config.Metadata[nudgedKey] = strconv.FormatInt(time.Now().Unix(), 10)
	config.Sources = slices.DeleteFunc(c.o.sources(), func(s *jetstream.StreamSource) bool { return quiet[s.Name] })
	if _, err := c.js.UpdateStream(ctx, config); err != nil {
		return err
	}
	config.Sources = c.o.sources() // it goes on behind what it has of each
	_, err = c.js.UpdateStream(ctx, config)
	return err
}

// reaches reports whether a region's stream is there.
func (c *Client) reaches(ctx context.Context, r Region) bool {
	js := c.js
	if r.Domain != c.o.domain() {
		var err error
		if js, err = jetstream.NewWithDomain(c.conn, r.Domain); err != nil {
			return false
		}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := js.Stream(ctx, c.o.outName(r.Name))
	return err == nil
}

// heard is how long ago each other region's stream was last heard of, a sign of life
// counting; below zero: not since the server last began to gather from it.
func (c *Client) heard(ctx context.Context) (map[string]time.Duration, error) {
	s, err := c.js.Stream(ctx, c.o.Name)
	if err != nil {
		return nil, err
	}
	out := map[string]time.Duration{}
	for _, source := range s.CachedInfo().Sources {
		for _, r := range c.o.Regions {
			if r.Name != c.o.Region && c.o.outName(r.Name) == source.Name {
				out[r.Name] = source.Active
			}
		}
	}
	return out, nil
}
