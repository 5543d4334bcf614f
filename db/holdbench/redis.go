package holdbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"plateia/core/id"
	"plateia/core/seatmap"
)

// RedisAuto asks for a private Redis server, with every write on the disk before its answer.
const RedisAuto = "auto"

// ValidRedis reports whether addr can be the address of a Redis server.
func ValidRedis(addr string) bool {
	if addr == RedisAuto || filepath.IsAbs(addr) {
		return true
	}
	host, port, err := net.SplitHostPort(addr)
	n, bad := strconv.Atoi(port)
	return err == nil && bad == nil && host != "" && n > 0 && n < 65536
}

// redisConnections are the numbers of connections that are tried; the best is measured.
var redisConnections = []int{16, 50, 200, 1000}

const (
	redisTrial      = 500 * time.Millisecond
	redisAtMost     = 150_000 // holds per second, for the supply
	redisHoldLife   = 420     // seconds: a hold's sliding life
	redisSeatsLimit = 6
)

// openRedis is the server to compare with, and how to let go of it.
func openRedis(ctx context.Context, addr string) (at string, stop func(), err error) {
	stop = func() {}
	if addr == RedisAuto {
		if addr, stop, err = startRedis(ctx); err != nil {
			return "", nil, err
		}
	}
	client := redisClient(addr, 1)
	defer client.Close()
	if err := client.Ping(ctx).Err(); err != nil {
		stop()
		return "", nil, fmt.Errorf("holdbench: Redis at %s: %w", addr, err)
	}
	return addr, stop, nil
}

func redisClient(addr string, connections int) *redis.Client {
	network := "tcp"
	if filepath.IsAbs(addr) {
		network = "unix"
	}
	return redis.NewClient(&redis.Options{
		Network: network, Addr: addr, PoolSize: connections, MinIdleConns: connections, PoolTimeout: time.Minute,
		DisableIdentity: true, Protocol: 2, ReadBufferSize: 4096, WriteBufferSize: 4096, MaxRetries: -1,
		ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
	})
}

// redisRounds measures both scripts, each with the number of connections that suits Redis best.
func redisRounds(ctx context.Context, addr string, opts Options, report *Report, say func(string)) error {
	clients := cmp.Or(opts.Clients, defaultClients[Engine])
	for _, mode := range []string{Redis, RedisRules} {
		r := round{mode: mode, contention: Spread, clients: clients}
		say(r.announce())
		best, most := 0, 0.0
		for _, connections := range redisConnections {
			if connections > clients {
				break
			}
			trial, err := measureRedis(ctx, addr, r, connections, min(redisTrial, opts.Duration))
			if err != nil {
				return err
			}
			if trial.HoldsPerSecond > most {
				best, most = connections, trial.HoldsPerSecond
			}
		}
		result, err := measureRedis(ctx, addr, r, cmp.Or(best, clients), opts.Duration)
		if err != nil {
			return err
		}
		report.add(result)
		say(result.summary())
	}
	return nil
}

func measureRedis(ctx context.Context, addr string, r round, connections int, duration time.Duration) (Result, error) {
	h := &redisHolder{client: redisClient(addr, connections), prefix: "plateia-bench:" + id.New().String() + ":", script: redisPlain}
	if r.mode == RedisRules {
		h.script, h.rules = redisWithRules, true
	}
	defer h.client.Close()
	if err := h.script.Load(ctx, h.client).Err(); err != nil {
		return Result{}, fmt.Errorf("holdbench: load the script: %w", err)
	}
	s := &supply{pairs: shuffledPairs(pairsPerEvent, 0, 1)}
	for len(s.events)*pairsPerEvent < int(redisAtMost*duration.Seconds()) {
		s.events = append(s.events, id.New())
	}
	result := drive(ctx, h, s, r, duration, 0).result(r)
	result.Connections, result.Persistence = connections, persistence(ctx, h.client)
	seats, err := h.clean(ctx)
	result.DoubleSold = int(max(2*result.Holds-seats, 0)) // each hold has two seat keys of its own
	return result, err
}

// persistence is what the server says it does with its data.
func persistence(ctx context.Context, client *redis.Client) string {
	var said []string
	for _, name := range []string{"appendonly", "appendfsync", "save"} {
		value, err := client.ConfigGet(ctx, name).Result()
		if err != nil {
			return "persistence not known: CONFIG GET is refused"
		}
		said = append(said, fmt.Sprintf("%s %q", name, value[name]))
	}
	return strings.Join(said, ", ")
}

// redisHolder holds by one script, which Redis runs alone: all seats or none.
type redisHolder struct {
	client *redis.Client
	script *redis.Script
	rules  bool
	prefix string
}

var errRedisTaken = errors.New("holdbench: Redis refused the hold")

func (h *redisHolder) hold(ctx context.Context, event id.ID, seats [2]seatmap.Ordinal) error {
	hold, account := id.New().String(), id.New().String()
	of := h.prefix + "seat:" + event.String() + ":"
	keys := []string{of + strconv.Itoa(int(seats[0])), of + strconv.Itoa(int(seats[1])), h.prefix + "hold:" + hold}
	args := []any{hold, account, redisHoldLife}
	if h.rules {
		keys = append(keys, h.prefix+"buyer:"+event.String()+":"+account, h.prefix+"key:"+account+":"+hold)
		args = append(args, redisSeatsLimit, hold)
	}
	done, err := h.script.EvalSha(ctx, h.client, keys, args...).Int()
	if err == nil && done != 1 {
		err = errRedisTaken
	}
	return err
}

func (h *redisHolder) retries() int64              { return 0 }
func (h *redisHolder) close(context.Context) error { return h.client.Close() }

// clean deletes every key of this measurement and nothing else, and counts the seats among them.
func (h *redisHolder) clean(ctx context.Context) (seats int64, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	cursor := uint64(0)
	for {
		var keys []string
		if keys, cursor, err = h.client.Scan(ctx, cursor, h.prefix+"*", 2000).Result(); err != nil {
			return seats, fmt.Errorf("holdbench: clean up Redis: %w", err)
		}
		for _, key := range keys {
			if strings.HasPrefix(key, h.prefix+"seat:") {
				seats++
			}
		}
		if len(keys) > 0 {
			if err := h.client.Unlink(ctx, keys...).Err(); err != nil {
				return seats, fmt.Errorf("holdbench: clean up Redis: %w", err)
			}
		}
		if cursor == 0 {
			return seats, nil
		}
	}
}
