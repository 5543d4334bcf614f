package local

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/edge/line"
)

// Tokens verifies credentials: a signature and a clock, no lookup. Every failure is fault.Unauthenticated, with one text.
type Tokens interface {
	Session(token string) (account.Session, error)
	Ticket(token string) (account.QueueTicket, error)
	Access(token string) (account.Access, error)
	// Proof verifies a DPoP proof (RFC 9449) for a request and returns the thumbprint of the key that made it.
	Proof(proof, method, path, token string) (keyThumb string, err error)
}

// credential is what a route asks for before the API is troubled with it.
type credential uint8

const (
	public credential = iota
	session
	ticket
	access
)

// needs is the credential of a path of the API. What is not known here is public: the API decides. A path is read as the
// most lenient router would, in any case and with slashes at its end, so that a careless one behind us opens nothing.
func needs(method, path string) credential {
	path = strings.ToLower(strings.TrimRight(path, "/"))
	event, resource := eventPath(path)
	switch {
	case method == http.MethodOptions:
		return public
	case path == "/v1/queue":
		return ticket
	case path == "/v1/me" || path == "/v1/queue/claim" || path == "/v1/orders" || under(path, "/v1/orders/", "/v1/holds/", "/v1/tickets/"):
		return session
	case event.IsZero():
		return public
	case resource == "holds" && method == http.MethodPost:
		return access
	case resource == "holds/mine", resource == "queue" && method == http.MethodPost:
		return session
	}
	return public
}

func under(path string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// caller is who a request comes from, as far as its credential says.
type caller struct {
	session account.Session
	ticket  account.QueueTicket
}

// identify checks the credential that a path needs: one signature, no lookup. The error says how to go on.
func (e *Edge) identify(r *http.Request, path string) (who caller, err error) {
	tokens := e.opts.Tokens
	if tokens == nil {
		return who, nil
	}
	event, _ := eventPath(path)
	switch needs(r.Method, path) {
	case session:
		who.session, err = tokens.Session(bearer(r))
	case ticket:
		who.ticket, err = tokens.Ticket(bearer(r))
	case access:
		if a, err := tokens.Access(bearer(r)); err != nil || a.Event != event {
			return who, fault.Wrap(err, fault.QueueRequired, "holding seats needs an access token from the waiting room").
				With("waitingRoom", "/events/"+event.String())
		}
	}
	if err != nil && (!event.IsZero() || under(path, "/v1/queue")) {
		err = line.WayBack(err, event)
	}
	return who, err
}

// bearer is the token of "Authorization: Bearer …"; "" when there is none.
func bearer(r *http.Request) string {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// guard refuses what a browser sends for somebody else: requests for names that are not ours (a page whose
// name was made to point here could read everything), and changes asked for by another site's page.
type guard struct {
	hosts  []string // lower case, without ports; none: every name
	origin *http.CrossOriginProtection
}

func newGuard(hosts, origins []string) (*guard, error) {
	g := &guard{origin: http.NewCrossOriginProtection()}
	for _, h := range hosts {
		g.hosts = append(g.hosts, hostName(h))
	}
	for _, o := range origins {
		if err := g.origin.AddTrustedOrigin(o); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// stops answers a request that must not go on, and reports whether it did.
func (g *guard) stops(w http.ResponseWriter, r *http.Request) bool {
	if !g.knows(r) {
		refuse(w, http.StatusMisdirectedRequest, "INVALID", "this host name is not served here")
		return true
	}
	if err := g.origin.Check(r); err != nil {
		refuseFault(w, fault.Wrap(err, fault.Forbidden, "another site's page may not do this; open ours"))
		return true
	}
	return false
}

// knows accepts the names on the list, this machine's own, and the address at which the request arrived. Probes come by any name.
func (g *guard) knows(r *http.Request) bool {
	if len(g.hosts) == 0 || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
		return true
	}
	name := hostName(r.Host)
	if slices.Contains(g.hosts, name) || name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	if ip.IsLoopback() {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return local != nil && local.AddrPort().Addr().Unmap() == ip.Unmap()
}

// hostName is a Host header without port, brackets and the root's dot, in lower case.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}
