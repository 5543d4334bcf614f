package token

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	proofWindow   = 60 * time.Second // how far iat may be from our clock, either way
	proofCapacity = 200_000          // proofs remembered; over it the oldest half is forgotten early
	maxJTI        = 128
)

// proofs verifies DPoP proofs (RFC 9449) and remembers the ones it has seen for
// as long as they could be shown again.
type proofs struct {
	now  func() time.Time
	seen replayMemory
}

func newProofs(now func() time.Time, capacity int) *proofs {
	return &proofs{now: now, seen: replayMemory{half: max(capacity/2, 1), life: 2 * proofWindow}}
}

type proofClaims struct {
	jwt.RegisteredClaims
	Method string `json:"htm"`
	URL    string `json:"htu"`
	Ath    string `json:"ath"`
}

func (p *proofs) verify(proof, method, path, bearer string) (string, error) {
	if err := wellFormed(proof); err != nil {
		return "", refused(err)
	}
	var thumb string
	c := &proofClaims{}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	_, err := parser.ParseWithClaims(proof, c, func(t *jwt.Token) (any, error) {
		key, name, err := proofKey(t)
		thumb = name
		return key, err
	})
	if err != nil {
		return "", refused(err)
	}
	if err := p.check(c, method, path, bearer); err != nil {
		return "", refused(err)
	}
	if !p.seen.first(thumb, c.ID, p.now()) {
		return "", refused(errors.New("the proof was used before"))
	}
	return thumb, nil
}

// proofKey takes the P-256 public key out of a proof's header.
func proofKey(t *jwt.Token) (*ecdsa.PublicKey, string, error) {
	if t.Header["typ"] != "dpop+jwt" {
		return nil, "", errors.New("typ is not dpop+jwt")
	}
	if _, critical := t.Header["crit"]; critical {
		return nil, "", errors.New("crit is not understood")
	}
	raw, err := json.Marshal(t.Header["jwk"])
	if err != nil {
		return nil, "", err
	}
	var k jwk
	if err := json.Unmarshal(raw, &k); err != nil {
		return nil, "", err
	}
	if k.Kty != "EC" || k.Crv != "P-256" || k.D != "" {
		return nil, "", errors.New("jwk is not a P-256 public key")
	}
	x, errX := b64.DecodeString(k.X)
	y, errY := b64.DecodeString(k.Y)
	if errX != nil || errY != nil || len(x) != 32 || len(y) != 32 {
		return nil, "", errors.New("jwk has malformed coordinates")
	}
	point := append(append([]byte{4}, x...), y...)
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	return key, k.thumbprint(), err
}

func (p *proofs) check(c *proofClaims, method, path, bearer string) error {
	if c.Method != method {
		return errors.New("htm is another method")
	}
	target, err := url.Parse(c.URL)
	if err != nil || target.EscapedPath() != path {
		return errors.New("htu is another path")
	}
	if c.IssuedAt == nil || c.IssuedAt.Sub(p.now()).Abs() > proofWindow {
		return errors.New("iat is not now")
	}
	if c.ID == "" || len(c.ID) > maxJTI {
		return errors.New("no jti, or too long a one")
	}
	sum := sha256.Sum256([]byte(bearer))
	if c.Ath != "" && subtle.ConstantTimeCompare([]byte(c.Ath), []byte(b64.EncodeToString(sum[:]))) != 1 {
		return errors.New("ath is another token's")
	}
	return nil
}

// replayMemory remembers (key, jti) pairs in two generations of at most half
// entries each, so that forgetting is one assignment. Under a flood it forgets
// early: a proof then protects only as far as the bearer token it came with.
type replayMemory struct {
	half int
	life time.Duration

	mu       sync.Mutex
	current  map[[16]byte]struct{}
	previous map[[16]byte]struct{}
	since    time.Time // start of the current generation
}

func (m *replayMemory) first(thumb, jti string, now time.Time) bool {
	sum := sha256.Sum256([]byte(thumb + "\x00" + jti))
	key := [16]byte(sum[:16])
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now)
	if _, seen := m.current[key]; seen {
		return false
	}
	if _, seen := m.previous[key]; seen {
		return false
	}
	m.current[key] = struct{}{}
	return true
}

func (m *replayMemory) turn(now time.Time) {
	age := now.Sub(m.since)
	if m.current != nil && age < m.life && len(m.current) < m.half {
		return
	}
	m.previous, m.current, m.since = m.current, make(map[[16]byte]struct{}), now
	if age >= 2*m.life {
		m.previous = nil
	}
}
