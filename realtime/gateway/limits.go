package gateway

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"plateia/core/id"
)

// limits counts connections by account and by block of addresses.
type limits struct {
	perAccount, perBlock int

	mu       sync.Mutex
	accounts map[id.ID]int
	blocks   map[netip.Prefix]int
}

func newLimits(o Options) *limits {
	return &limits{perAccount: o.MaxPerAccount, perBlock: o.MaxPerBlock, accounts: map[id.ID]int{}, blocks: map[netip.Prefix]int{}}
}

func (l *limits) takeBlock(b netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return take(l.blocks, b, l.perBlock)
}

func (l *limits) takeAccount(account id.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return account.IsZero() || take(l.accounts, account, l.perAccount)
}

func (l *limits) give(b netip.Prefix, account id.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	give(l.blocks, b)
	if !account.IsZero() {
		give(l.accounts, account)
	}
}

func take[K comparable](counts map[K]int, key K, limit int) bool {
	if counts[key] >= limit {
		return false
	}
	counts[key]++
	return true
}

func give[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}

// block is the network an address belongs to: /24 for IPv4, /48 for IPv6.
func block(a netip.Addr) netip.Prefix {
	a = a.Unmap()
	bits := 48
	if a.Is4() {
		bits = 24
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // unknown addresses share one block
	}
	return p
}

func remoteAddr(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr()
}

// ForwardedFor returns an Options.ClientIP that believes the last X-Forwarded-For
// entry of requests whose peer is in trusted, such as the edge in front.
func ForwardedFor(trusted ...netip.Prefix) func(*http.Request) netip.Addr {
	return func(r *http.Request) netip.Addr {
		peer := remoteAddr(r).Unmap()
		if !slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(peer) }) {
			return peer
		}
		entries := strings.Split(r.Header.Get("X-Forwarded-For"), ",")
		client, err := netip.ParseAddr(strings.TrimSpace(entries[len(entries)-1]))
		if err != nil {
			return peer
		}
		return client
	}
}

// originAllowed accepts requests that do not come from a page (no Origin), from a page of the same host, and from
// those that may show the event.
func (g *Gateway) originAllowed(r *http.Request, event id.ID) bool {
	origin := foreignOrigin(r)
	return origin == "" || g.o.Allows != nil && g.o.Allows(event, origin)
}

// foreignOrigin is another site's page that a request comes from; "" for none, and for a page of our own. Behind a proxy
// our host is in X-Forwarded-Host, which a page cannot set itself. Several origins are nobody's.
func foreignOrigin(r *http.Request) string {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return ""
	}
	if len(origins) > 1 || origins[0] == "" {
		return "null"
	}
	u, err := url.Parse(origins[0])
	if err == nil && u.Host != "" && (strings.EqualFold(u.Host, r.Host) || strings.EqualFold(u.Host, r.Header.Get("X-Forwarded-Host"))) {
		return ""
	}
	return origins[0]
}

// bucket allows a burst of messages and then one each interval.
type bucket struct {
	left int
	last time.Time
}

func (b *bucket) take(now time.Time, burst int, every time.Duration) bool {
	return b.spend(now, 1, burst, 1, every)
}

// spend takes a cost, when gain comes back each interval.
func (b *bucket) spend(now time.Time, cost, burst, gain int, every time.Duration) bool {
	if b.last.IsZero() {
		b.left, b.last = burst, now
	}
	if n := int(now.Sub(b.last) / every); n > 0 {
		b.left = min(burst, b.left+n*gain)
		b.last = b.last.Add(time.Duration(n) * every)
	}
	if b.left < cost {
		return false
	}
	b.left -= cost
	return true
}
