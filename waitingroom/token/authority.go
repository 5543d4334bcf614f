package token

import (
	"cmp"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"plateia/core/account"
	"plateia/core/id"
)

// Options of an Authority. Seeds are Ed25519 seeds (32 bytes).
type Options struct {
	Issuer       string        // iss; default "plateia"
	Current      []byte        // seed that signs
	Others       [][]byte      // seeds whose tokens are accepted too: the next key and those lately retired
	PseudonymKey []byte        // at least 32 bytes; secret behind the pseudonyms in queue tickets
	SessionLife  time.Duration // 90 days
	TicketLife   time.Duration // 24 hours
	AccessLife   time.Duration // 15 minutes
	Leeway       time.Duration // between our own machines' clocks; 5 s
	Now          func() time.Time
}

// Authority mints and verifies. It is immutable but for the bounded memories of
// proofs and credentials seen, and safe for concurrent use.
type Authority struct {
	opts    Options
	kid     string
	private ed25519.PrivateKey
	public  map[string]ed25519.PublicKey // by kid
	jwks    []byte
	proofs  *proofs

	headers    map[string]ownHeader // by their encoded form
	parsers    map[kind]*jwt.Parser
	validators map[kind]*jwt.Validator
	sessions   memory[account.Session]
	tickets    memory[account.QueueTicket]
	accesses   memory[account.Access]
	tests      selfTests
}

// New checks the keys and returns an Authority. It fails on a seed or secret of the wrong size.
func New(opts Options) (*Authority, error) {
	opts = opts.withDefaults()
	if len(opts.PseudonymKey) < 32 {
		return nil, errors.New("token: the pseudonym key is shorter than 32 bytes")
	}
	a := &Authority{opts: opts, public: make(map[string]ed25519.PublicKey), proofs: newProofs(opts.Now, proofCapacity)}
	var set struct {
		Keys []jwk `json:"keys"`
	}
	for i, seed := range append([][]byte{opts.Current}, opts.Others...) {
		if len(seed) != ed25519.SeedSize {
			return nil, errors.New("token: an Ed25519 seed has 32 bytes")
		}
		private := ed25519.NewKeyFromSeed(seed)
		pub := private.Public().(ed25519.PublicKey)
		kid := KeyID(pub)
		if i == 0 {
			a.private, a.kid = private, kid
		}
		if _, twice := a.public[kid]; twice {
			continue
		}
		a.public[kid] = pub
		key := publicJWK(pub)
		key.Kid, key.Alg, key.Use = kid, "EdDSA", "sig"
		set.Keys = append(set.Keys, key)
	}
	jwks, err := json.Marshal(set)
	a.jwks = jwks
	return a, errors.Join(err, a.prepare())
}

func (o Options) withDefaults() Options {
	o.Issuer = cmp.Or(o.Issuer, "plateia")
	o.SessionLife = cmp.Or(o.SessionLife, 90*24*time.Hour)
	o.TicketLife = cmp.Or(o.TicketLife, 24*time.Hour)
	o.AccessLife = cmp.Or(o.AccessLife, 15*time.Minute)
	o.Leeway = cmp.Or(o.Leeway, 5*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// JWKS is the public keys as a JSON Web Key Set (RFC 7517).
func (a *Authority) JWKS() []byte { return a.jwks }

// AccessLife is how long an access token lives.
func (a *Authority) AccessLife() time.Duration { return a.opts.AccessLife }

// Pseudonym is the account's name in the queue tickets of one event. Without the
// secret nobody can link it to the account, or to the account's name elsewhere.
func (a *Authority) Pseudonym(account, event id.ID) string {
	mac := hmac.New(sha256.New, a.opts.PseudonymKey)
	mac.Write(account[:])
	mac.Write(event[:])
	return b64.EncodeToString(mac.Sum(nil)[:18])
}

// Proof verifies a DPoP proof made for this method, path and bearer token and
// returns the RFC 7638 thumbprint of the key that made it. A proof works once.
func (a *Authority) Proof(proof, method, path, bearer string) (keyThumb string, err error) {
	return a.proofs.verify(proof, method, path, bearer)
}
