package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// restartsKey counts, in the stream's metadata, how often its newest messages may have been lost.
const restartsKey = "plateia-restarts"

// lookNow asks for a look at the stream soon.
func (c *Client) lookNow() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// watch looks at the stream now and then and after each reconnect. A stream that
// has another creation time, is gone, has lost its tail or was purged ends its incarnation.
func (c *Client) watch(ctx context.Context) {
	ticker := time.NewTicker(c.o.CheckEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-c.wake:
		}
		if !c.conn.IsConnected() {
			continue
		}
		err := c.look(ctx, false)
		c.blind.Store(err != nil)
		if err != nil && ctx.Err() == nil {
			c.log.Warn("stream: cannot see the stream", "error", err)
		}
	}
}

// look adopts the stream as it is. It begins another incarnation when told to, and when the stream has lost what
// somebody may have been shown: positions of before would mean other messages.
func (c *Client) look(ctx context.Context, restart bool) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := c.lookOut(ctx, restart); err != nil {
		return err
	}
	seen := c.seen() // before the question: what is seen meanwhile may be behind the answer
	s, err := c.js.Stream(ctx, c.o.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = c.js.CreateStream(ctx, c.config(0))
		restart = false
	}
	if err != nil {
		return fmt.Errorf("stream: look: %w", err)
	}
	info := s.CachedInfo()
	if !quorate(info.Cluster) {
		return fmt.Errorf("stream: look: %w", errLeaderless)
	}
	if restart || c.hasLost(info, seen) {
		if s, err = c.js.UpdateStream(ctx, restarted(info)); err != nil {
			return fmt.Errorf("stream: new incarnation: %w", err)
		}
		info = s.CachedInfo()
	}
	c.adopt(info)
	return nil
}

// errLeaderless: what a server says of a stream that it does not lead may be old, and is not to be judged by.
var errLeaderless = errors.New("the stream has no leader, or one whom too few servers follow")

// peerSilence is how long a leader may not have heard of another server until that does not count.
const peerSilence = 5 * time.Second

// quorate reports whether enough servers keep the stream for anything to be added to it. A leader that has lost the others
// still answers for it, and does not know for ten seconds and more that it leads nobody; later any of them answers.
func quorate(cluster *jetstream.ClusterInfo) bool {
	if cluster == nil || len(cluster.Replicas) == 0 {
		return true // one server, which has answered
	}
	here := 1
	for _, peer := range cluster.Replicas {
		if !peer.Offline && peer.Active < peerSilence {
			here++
		}
	}
	return cluster.Leader != "" && 2*here > len(cluster.Replicas)+1
}

// hasLost reports whether the stream, under the same name, is not the one of the last look: its tail is gone (a
// server that had not written it, an old copy brought back) or everything in it (a purge), also if nobody has noticed.
func (c *Client) hasLost(info *jetstream.StreamInfo, seen uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil || c.current.number != incarnationOf(info) {
		return false
	}
	was, is := c.last, info.State
	aged := time.Since(was.LastTime) > c.o.MaxAge-c.o.MaxAge/10
	purged := is.FirstSeq > was.FirstSeq && is.FirstSeq > was.LastSeq && was.LastSeq > 0 && !aged
	return is.LastSeq < seen || purged
}

// seen is the newest message of this incarnation that anybody here may have been shown.
func (c *Client) seen() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil {
		return 0
	}
	return c.current.seen.Load()
}

func (i *incarnation) saw(seq uint64) {
	for was := i.seen.Load(); seq > was && !i.seen.CompareAndSwap(was, seq); was = i.seen.Load() {
	}
}

func (c *Client) config(restarts int) jetstream.StreamConfig {
	subjects := []string{c.o.Subjects + ".*"}
	if c.o.Region != "" {
		subjects = nil // it gathers
	}
	return jetstream.StreamConfig{
		Name: c.o.Name, Subjects: subjects, Sources: c.o.sources(), Description: "committed seat changes, one message a batch",
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, Storage: jetstream.FileStorage,
		MaxAge: c.o.MaxAge, MaxBytes: c.o.MaxBytes, Replicas: max(1, c.o.Replicas), Duplicates: min(duplicateWindow, c.o.MaxAge),
		AllowDirect: true, Metadata: map[string]string{restartsKey: strconv.Itoa(restarts)},
	}
}

// restarted is a stream's configuration, whoever made it, in its next incarnation.
func restarted(info *jetstream.StreamInfo) jetstream.StreamConfig {
	next := info.Config
	next.Metadata = map[string]string{}
	maps.Copy(next.Metadata, info.Config.Metadata)
	next.Metadata[restartsKey] = strconv.Itoa(restarts(info) + 1)
	return next
}

func restarts(info *jetstream.StreamInfo) int {
	n, _ := strconv.Atoi(info.Config.Metadata[restartsKey])
	return n
}

// adopt compares what the stream looks like with what it looked like at the last look.
func (c *Client) adopt(info *jetstream.StreamInfo) {
	number := incarnationOf(info)
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.last
	c.last = info.State
	if c.current != nil && c.current.number == number {
		return
	}
	if c.current != nil {
		c.log.Warn("stream: another incarnation", "was", c.current.number, "is", number,
			"first", info.State.FirstSeq, "last", info.State.LastSeq, "seen", was.LastSeq)
		close(c.current.lost)
	}
	c.current = &incarnation{number: number, lost: make(chan struct{})}
}

// incarnationOf is a 53-bit name of this life of the stream.
func incarnationOf(info *jetstream.StreamInfo) uint64 {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], uint64(info.Created.UnixNano()))
	binary.LittleEndian.PutUint64(b[8:], uint64(restarts(info)))
	h.Write(b[:])
	return h.Sum64() >> 11
}

func (c *Client) incarnation() (*incarnation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil {
		return nil, ErrLost
	}
	return c.current, nil
}
