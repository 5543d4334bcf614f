package httpcache

import (
	"cmp"
	"container/list"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options of a Cache. The zero value of each means the default named beside it.
type Options struct {
	Room    int           // bytes kept, with what keeping costs; 64 MiB
	Largest int           // bytes of one document; 16 MiB. A larger one is answered with Down
	Timeout time.Duration // of one request to the origin; 10 s
	Brief   time.Duration // how long refusals and failures are remembered; 1 s
	// Down answers when the origin does not and nothing is kept that may be shown.
	Down http.Handler
	Now  func() time.Time
}

func (o Options) withDefaults() Options {
	o.Room = cmp.Or(o.Room, 64<<20)
	o.Largest = cmp.Or(o.Largest, 16<<20)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Brief = cmp.Or(o.Brief, time.Second)
	if o.Down == nil {
		o.Down = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Cache answers GET and HEAD for documents of an origin. Safe for concurrent use.
type Cache struct {
	origin  http.RoundTripper
	opts    Options
	life    context.Context
	end     context.CancelFunc
	flights sync.WaitGroup

	mu      sync.Mutex
	entries map[key]*list.Element // of *entry
	recent  *list.List            // front: asked for last
	used    int
	closed  bool

	stats counters
}

// key names a document: its path, and the one thing in which answers differ.
type key struct {
	path   string
	binary bool
}

// entry is what is known of one document. Guarded by Cache.mu.
type entry struct {
	key     key
	kept    *document // what the origin last gave out to be kept; nil: nothing
	refusal *document // what it said instead, lately; nil: nothing
	quietTo time.Time // not asked again before, because it just refused or failed
	failing bool      // the last request failed
	flight  *flight   // the request that is on its way
	cost    int
}

// flight is one request to the origin. Its outcome is set before done is closed.
type flight struct {
	done    chan struct{}
	outcome *document // what those who waited are answered with; nil: Options.Down
}

type counters struct{ asked, waited, stale, fetched, unchanged, failed atomic.Int64 }

// Stats are numbers for metrics, since the start.
type Stats struct {
	Asked     int64 // requests answered
	Waited    int64 // of these, for the origin
	Stale     int64 // of these, with a document past its max-age
	Fetched   int64 // requests made to the origin
	Unchanged int64 // of these, answered 304
	Failed    int64 // of these, not answered, or with 5xx
	Bytes     int   // in use now
	Documents int
}

// New returns an empty cache of what origin answers. Requests to it have a path and no host.
func New(origin http.RoundTripper, opts Options) *Cache {
	life, end := context.WithCancel(context.Background())
	return &Cache{origin: origin, opts: opts.withDefaults(), life: life, end: end, entries: map[key]*list.Element{}, recent: list.New()}
}

// Close ends what is on its way to the origin and waits for it. Later requests are answered with what is kept, or Down.
func (c *Cache) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.flights.Wait()
}

// Stats returns the numbers of now.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	bytes, documents := c.used, c.recent.Len()
	c.mu.Unlock()
	s := &c.stats
	return Stats{
		Asked: s.asked.Load(), Waited: s.waited.Load(), Stale: s.stale.Load(), Fetched: s.fetched.Load(),
		Unchanged: s.unchanged.Load(), Failed: s.failed.Load(), Bytes: bytes, Documents: documents,
	}
}

// ServeHTTP answers a GET or HEAD. The path alone names the document; a query is not looked at.
func (c *Cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.stats.asked.Add(1)
	now := c.opts.Now()
	doc, f := c.look(keyOf(r), now) //nolint:contextcheck // the request to the origin is everybody's and outlives whoever came first
	if f != nil {
		c.stats.waited.Add(1)
		select {
		case <-f.done:
			doc, now = f.outcome, c.opts.Now()
		case <-r.Context().Done():
			return
		}
	}
	if doc == nil {
		c.opts.Down.ServeHTTP(w, r)
		return
	}
	if doc.age(now) > doc.maxAge && doc.keeps {
		c.stats.stale.Add(1)
	}
	doc.send(w, r, now)
}

// Kept is the body of a document that is kept under a path, however old, or nil. It asks nobody and counts as no use. Not to be changed.
func (c *Cache) Kept(path string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[key{path: path}]; ok {
		if doc := el.Value.(*entry).kept; doc != nil {
			return doc.body
		}
	}
	return nil
}

// Warm brings documents into the cache before anybody asks, or renews them. It returns when all have been asked for.
func (c *Cache) Warm(ctx context.Context, paths ...string) {
	var flights []*flight
	for _, path := range paths {
		if f := c.renew(key{path: path}, c.opts.Now()); f != nil { //nolint:contextcheck // as in ServeHTTP
			flights = append(flights, f)
		}
	}
	for _, f := range flights {
		select {
		case <-f.done:
		case <-ctx.Done():
			return
		}
	}
}

// look finds what to answer with now, or the flight to wait for.
func (c *Cache) look(k key, now time.Time) (*document, *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(k)
	quiet := now.Before(e.quietTo) || c.closed
	kept := e.kept
	if kept != nil && kept.fresh(now) {
		return kept, nil
	}
	// Nobody waits for an origin that has just failed while there is something to show.
	shown := kept != nil && (kept.whileRevalidating(now) || (e.failing || quiet) && kept.onError(now))
	if !quiet {
		if f := c.depart(e); !shown {
			return nil, f
		}
	}
	if shown {
		return kept, nil
	}
	return e.refusal, nil
}

func (c *Cache) renew(k key, now time.Time) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(k)
	if c.closed || now.Before(e.quietTo) || e.kept != nil && e.kept.fresh(now) {
		return nil
	}
	return c.depart(e)
}

// entry is the key's entry, made when it is new, and the last to go from now on.
func (c *Cache) entry(k key) *entry {
	if el, ok := c.entries[k]; ok {
		c.recent.MoveToFront(el)
		return el.Value.(*entry)
	}
	e := &entry{key: k}
	c.entries[k] = c.recent.PushFront(e)
	c.weigh(e)
	return e
}

// overhead is about what an entry costs besides bodies and its path, in bytes.
const overhead = 1200

// weigh counts an entry's bytes anew and makes room. Entries with a flight stay: others wait for it.
func (c *Cache) weigh(e *entry) {
	cost := overhead + 2*len(e.key.path) + e.kept.size() + e.refusal.size()
	c.used += cost - e.cost
	e.cost = cost
	for el := c.recent.Back(); el != nil && c.used > c.opts.Room; {
		victim, before := el.Value.(*entry), el.Prev()
		if victim != e && victim.flight == nil {
			c.recent.Remove(el)
			delete(c.entries, victim.key)
			c.used -= victim.cost
		}
		el = before
	}
}
