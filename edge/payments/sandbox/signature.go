package sandbox

import (
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"

	"plateia/core/secret"
)

// signatureHeader carries "t=<unix seconds>,v1=<hex>[,v1=<hex>…]": HMAC-SHA256,
// under each current secret, of the time as written, a dot and the raw body.
const signatureHeader = "Sandbox-Signature"

// tolerance is how far a delivery's time may be from ours, either way.
const tolerance = 300 * time.Second

// maxSignature bounds the header, in bytes; maxCandidates the v1 values in it.
const (
	maxSignature  = 1024
	maxCandidates = 8
)

var (
	errSignatureMissing   = errors.New("sandbox: no signature")
	errSignatureMalformed = errors.New("sandbox: malformed signature")
	errSignatureTime      = errors.New("sandbox: signature is too old or from the future")
	errSignatureWrong     = errors.New("sandbox: signature does not match")
)

func sign(secrets []secret.Text, at time.Time, body []byte) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	out := "t=" + stamp
	for _, s := range secrets {
		out += ",v1=" + hex.EncodeToString(s.HMAC([]byte(stamp), []byte("."), body))
	}
	return out
}

// verify checks a signature header over the body exactly as received.
func verify(secrets []secret.Text, header string, body []byte, now time.Time) error {
	stamp, candidates, err := parseSignature(header)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return errSignatureMalformed
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return errSignatureTime
	}
	matched := false
	for _, s := range secrets {
		want := s.HMAC([]byte(stamp), []byte("."), body)
		for _, c := range candidates {
			matched = hmac.Equal(want, c) && !s.IsZero() || matched // no early exit
		}
	}
	if !matched {
		return errSignatureWrong
	}
	return nil
}

// parseSignature splits the header. Schemes other than v1 are ignored: a newer
// provider may add them, and an older one is never enough.
func parseSignature(header string) (stamp string, candidates [][]byte, err error) {
	if header == "" {
		return "", nil, errSignatureMissing
	}
	if len(header) > maxSignature {
		return "", nil, errSignatureMalformed
	}
	for part := range strings.SplitSeq(header, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case !ok, name == "t" && stamp != "":
			return "", nil, errSignatureMalformed
		case name == "t":
			stamp = value
		case name == "v1":
			raw, err := hex.DecodeString(value)
			if err != nil || len(candidates) == maxCandidates {
				return "", nil, errSignatureMalformed
			}
			candidates = append(candidates, raw)
		}
	}
	if stamp == "" || len(candidates) == 0 {
		return "", nil, errSignatureMalformed
	}
	return stamp, candidates, nil
}
