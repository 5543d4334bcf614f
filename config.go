package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/peterbourgon/ff/v3"

	"plateia/core/partner"
	"plateia/core/secret"
	"plateia/db"
	"plateia/edge/local"
	"plateia/realtime/stream"
)

// allRoles of `plateia serve`; `plateia dev` runs them all.
var allRoles = []string{"api", "gateway", "admitter", "relay", "sweeper", "edge"}

// devOperatorKey opens the console of `plateia dev`, where anybody may sign in as anybody anyway.
const devOperatorKey = "plateia-dev-operator-key"

// config is everything that can be said from outside: by flags, by environment
// variables (PLATEIA_ADDR for --addr, …) and by a file (--config), in this order
// of precedence.
type config struct {
	addr        string // the public address
	apiAddr     string
	gatewayAddr string
	sandboxAddr string
	partnerAddr string // dev: of the demo's partner; "": the port after addr's if it is free, else any
	publicURL   string
	data        string
	databaseURL string
	regions     db.Regions // that the database must have; some: pages are read from the nearest
	nats        natsConfig
	natsRegions []stream.Region // all regions, when each has a stream of its own
	roles       []string
	origins     []partner.Origin // whose pages may show every event, beside the partners in the database
	hosts       []string         // under which fans reach the edge; none: any
	devSecret   secret.Text
	operatorKey secret.Text // of /v1/ops
	consoleAddr string      // where operators find the console and /v1/ops, an internal address; "": nowhere, or at dev's public address
	// Cloudflare's challenge at the entry to a line; none without a secret.
	turnstileSecret  secret.Text
	turnstileSiteKey string
	metricsAddr      string // where /metrics is, for Prometheus alone; "": nowhere, or at dev's public address
	// apis and gateways are where an edge finds them, beside those it runs itself.
	apis, gateways []local.Upstream
	region         string           // where this process runs
	providers      []providerConfig // the first takes payments while it answers
	// What each payment provider is to carry: calls per second, how long one usually takes, and at most.
	paymentRate                    float64
	paymentLatency, paymentTimeout time.Duration
	logLevel                       slog.Level
	logJSON                        bool
	stopTimeout                    time.Duration

	dev       bool // `plateia dev`: everything in one process, sign-in without mail, demo events
	ownStream bool // a NATS server in this process instead of others
}

// parse reads a command's configuration and lists every fault of it.
func (c *config) parse(e env, name string, args []string) error {
	fs := flag.NewFlagSet("plateia "+name, flag.ContinueOnError)
	fs.SetOutput(e.stderr)
	var apis, gateways string
	var natsRegions string
	var turnstileSecret string
	var regions, roles, origins, hosts, level, devSecret, operatorKey, providers, providerURL, providerSecret, webhookSecrets string
	fs.StringVar(&c.addr, "addr", "127.0.0.1:8080", "public `address` of the pages and the API")
	fs.StringVar(&c.data, "data", ".plateia", "data `folder`: private database, stream, keys")
	fs.StringVar(&c.databaseURL, "database", e.getenv("DATABASE_URL"), "CockroachDB or PostgreSQL `URL` (also DATABASE_URL)")
	fs.StringVar(&level, "log", "info", "log `level`: debug, info, warn, error")
	fs.BoolVar(&c.logJSON, "log-json", !c.dev, "log as JSON lines")
	fs.DurationVar(&c.stopTimeout, "stop-timeout", 20*time.Second, "how long a graceful stop may take")
	fs.StringVar(&c.publicURL, "public-url", "", "the `URL` fans see, when it is not http://ADDR")
	fs.StringVar(&origins, "origins", "", "comma-separated `origins` of pages that may show every event, beside those of the partners in the database")
	fs.StringVar(&hosts, "hosts", "", "comma-separated host `names` under which fans reach the edge, beside those of --public-url and this machine; any when neither is given")
	fs.StringVar(&devSecret, "dev-secret", "", "switches on sign-in without mail for callers who know this `secret`")
	fs.StringVar(&c.metricsAddr, "metrics-addr", "", "internal `address` of /metrics; none by default")
	fs.StringVar(&operatorKey, "operator-key", "", "opens /v1/ops and the console to callers who know this `secret`")
	fs.StringVar(&c.consoleAddr, "console-addr", "", "internal `address` of the operators' console; none by default, in dev the public one")
	fs.StringVar(&c.apiAddr, "api-addr", "127.0.0.1:0", "`address` of the API behind the edge")
	fs.StringVar(&c.gatewayAddr, "gateway-addr", "127.0.0.1:0", "`address` of the live map gateway behind the edge")
	fs.StringVar(&c.sandboxAddr, "sandbox-addr", "127.0.0.1:0", "`address` of the first sandbox payment provider (dev)")
	fs.Float64Var(&c.paymentRate, "payment-rate", 50, "`calls` per second that each payment provider is to carry")
	fs.DurationVar(&c.paymentLatency, "payment-latency", 2*time.Second, "how long a call to a payment provider usually takes at most; rate × latency calls run at once")
	fs.DurationVar(&c.paymentTimeout, "payment-timeout", 5*time.Second, "when a call to a payment provider is given up and its outcome unknown")
	fs.StringVar(&turnstileSecret, "turnstile-secret", "", "`secret` of Cloudflare Turnstile, which is then asked at the entry to a line")
	fs.StringVar(&c.turnstileSiteKey, "turnstile-site-key", "", "the public `key` that goes with it")
	if c.dev {
		fs.StringVar(&c.partnerAddr, "partner-addr", "", "`address` of the demo's partner, a site of another origin; by default the next port, or any when that is taken")
	} else {
		fs.StringVar(&roles, "roles", strings.Join(allRoles, ","), "comma-separated `roles`")
		fs.StringVar(&regions, "regions", "", "comma-separated `regions` of the database (CockroachDB), the primary one first: lists and event pages are then read from the nearest one, some seconds old")
		c.nats.flags(fs)
		fs.StringVar(&c.region, "region", "", "`name` of the region this process runs in, where there are several")
		fs.StringVar(&natsRegions, "nats-regions", "", "comma-separated `regions` that sell the same events, this one (--region) among them, each with =DOMAIN where its JetStream is one of its own: their streams are gathered in each")
		fs.StringVar(&apis, "api-url", "", "`URL` of the API, for an edge that does not run it; several as REGION=URL,REGION=URL, the preferred one first: the edge goes on with the next when one is not well")
		fs.StringVar(&gateways, "gateway-url", "", "`URL` of the gateway, or several, in the same form")
		fs.StringVar(&providers, "providers", "", "JSON `file` of payment providers in their order: name, url, secret, webhookSecrets; instead of the next three")
		fs.StringVar(&providerURL, "provider-url", "", "`URL` of the payment provider")
		fs.StringVar(&providerSecret, "provider-secret", "", "`secret` for the payment provider's API")
		fs.StringVar(&webhookSecrets, "webhook-secrets", "", "comma-separated `secrets` that sign the provider's webhooks, during a rotation two")
	}
	fs.String("config", "", "`file` with one flag a line: name value")
	err := ff.Parse(fs, args, ff.WithEnvVarPrefix("PLATEIA"), ff.WithConfigFileFlag("config"), ff.WithConfigFileParser(ff.PlainParser))
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	if err != nil {
		return errUsage{err.Error()}
	}
	c.roles, c.hosts = list(roles), list(hosts)
	if c.dev {
		c.roles, c.ownStream = allRoles, true
	}
	if c.dev && operatorKey == "" {
		operatorKey = devOperatorKey
	}
	c.devSecret, c.operatorKey, c.turnstileSecret = secret.New(devSecret), secret.New(operatorKey), secret.New(turnstileSecret)
	var wrong []error
	for _, u := range []struct {
		flag, text string
		to         *[]local.Upstream
	}{{"api-url", apis, &c.apis}, {"gateway-url", gateways, &c.gateways}} {
		all, faults := parseUpstreams(u.flag, u.text)
		*u.to, wrong = all, append(wrong, faults...)
	}
	faults := append(c.check(fs.Args()), wrong...)
	if c.natsRegions, err = parseNATSRegions(natsRegions, c.region); err != nil {
		faults = append(faults, err)
	}
	if c.regions, err = parseRegions(regions); err != nil {
		faults = append(faults, err)
	}
	if c.origins, err = parseOrigins(list(origins)); err != nil {
		faults = append(faults, err)
	}
	if err := c.takeProviders(providers, onlyProvider(providerURL, providerSecret, list(webhookSecrets))); err != nil {
		faults = append(faults, err)
	}
	if err := c.logLevel.UnmarshalText([]byte(level)); err != nil {
		faults = append(faults, fmt.Errorf("log: %q is none of debug, info, warn, error", level))
	}
	if err := errors.Join(faults...); err != nil {
		return errUsage{fmt.Sprintf("plateia %s: the configuration is not usable:\n%s", name, indent(err.Error()))}
	}
	return nil
}

func (c *config) check(rest []string) []error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(rest) > 0 {
		fault("unexpected argument %q", rest[0])
	}
	for name, addr := range map[string]string{"addr": c.addr, "api-addr": c.apiAddr, "gateway-addr": c.gatewayAddr, "sandbox-addr": c.sandboxAddr} {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			fault("%s: %q is not host:port", name, addr)
		}
	}
	for name, raw := range map[string]string{"public-url": c.publicURL} {
		if raw != "" && !isURL(raw, "http", "https") {
			fault("%s: %q is not an http address", name, raw)
		}
	}
	if c.databaseURL != "" && !isDatabase(c.databaseURL) {
		fault("database: not a postgres:// or postgresql:// address")
	}
	if c.turnstileSecret.IsZero() != (c.turnstileSiteKey == "") {
		fault("turnstile-secret, turnstile-site-key: both or neither")
	}
	if c.data == "" {
		fault("data: a folder is needed")
	}
	if c.stopTimeout <= 0 {
		fault("stop-timeout: must be positive")
	}
	if c.paymentRate <= 0 || c.paymentLatency <= 0 || c.paymentTimeout < c.paymentLatency {
		fault("payment-rate, payment-latency, payment-timeout: must be positive, and the timeout not below the latency")
	}
	if n := len(c.operatorKey.Reveal()); n > 0 && n < 24 {
		fault("operator-key: at least 24 characters")
	}
	if n := len(c.devSecret.Reveal()); n > 0 && n < 16 {
		fault("dev-secret: at least 16 characters")
	}
	if !c.dev {
		faults = append(faults, c.checkServe()...)
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return faults
}

// checkServe is what only `plateia serve` needs.
func (c *config) checkServe() []error {
	var faults []error
	for _, role := range c.roles {
		if !slices.Contains(allRoles, role) {
			faults = append(faults, fmt.Errorf("roles: %q is none of %s", role, strings.Join(allRoles, ", ")))
		}
	}
	if len(c.roles) == 0 {
		faults = append(faults, errors.New("roles: at least one"))
	}
	edgeOnly := len(c.roles) == 1 && c.roles[0] == "edge"
	if c.databaseURL == "" && !edgeOnly {
		faults = append(faults, errors.New("database: needed (or DATABASE_URL)"))
	}
	faults = append(faults, c.nats.check(c.has("api") || c.has("gateway") || c.has("admitter") || c.has("relay"))...)
	if c.has("edge") && !c.has("api") && len(c.apis) == 0 {
		faults = append(faults, errors.New("api-url: needed by an edge without the api role"))
	}
	if c.has("edge") && !c.has("gateway") && len(c.gateways) == 0 {
		faults = append(faults, errors.New("gateway-url: needed by an edge without the gateway role"))
	}
	return faults
}

func (c *config) has(role string) bool { return slices.Contains(c.roles, role) }

// logger writes to w in the form asked for.
func (c *config) logger(w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: c.logLevel}
	if c.logJSON {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

func isURL(raw string, schemes ...string) bool {
	u, err := url.Parse(raw)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Host != ""
}

// isDatabase accepts a host and a unix socket, which is in the query.
func isDatabase(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") && u.Host+u.Query().Get("host") != ""
}

func list(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }
