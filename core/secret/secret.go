// Package secret is text that must not end up in a log, an error or an answer.
package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
)

// redacted is what every printer shows instead of a secret.
const redacted = "[redacted]"

// Text is a secret. However it is printed, formatted, logged or marshalled it
// shows as "[redacted]"; Reveal is the one way to the value.
//
// The value is behind a pointer because fmt cannot call the methods of a field
// that is unexported: there it prints an address.
type Text struct{ value *string }

// New keeps a value.
func New(value string) Text { return Text{&value} }

// Reveal returns the value, for the one place that sends or checks it.
func (t Text) Reveal() string {
	if t.value == nil {
		return ""
	}
	return *t.value
}

// IsZero reports whether there is no secret.
func (t Text) IsZero() bool { return t.Reveal() == "" }

// Is reports whether a candidate is the secret, in time that does not depend on
// either. An empty secret equals nothing.
func (t Text) Is(candidate string) bool {
	a, b := sha256.Sum256([]byte(t.Reveal())), sha256.Sum256([]byte(candidate))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && !t.IsZero()
}

// HMAC is HMAC-SHA256 of the concatenated parts under the secret.
func (t Text) HMAC(parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, []byte(t.Reveal()))
	for _, p := range parts {
		mac.Write(p)
	}
	return mac.Sum(nil)
}

// Format covers every verb of package fmt.
func (t Text) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// String hides the value.
func (t Text) String() string { return redacted }

// GoString hides the value from %#v.
func (t Text) GoString() string { return redacted }

// LogValue hides the value from slog.
func (t Text) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the value from JSON and other encoders.
func (t Text) MarshalText() ([]byte, error) { return []byte(redacted), nil }
