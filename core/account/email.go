package account

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"plateia/core/fault"
)

// maxEmail is the longest address SMTP can carry (RFC 5321, 4.5.3.1.3, less the brackets).
const maxEmail = 254

// NormalizeEmail trims and lower-cases an address and checks that mail could be
// sent to it: one "@", a local part of at most 64 bytes, a domain with a dot. It
// does not fold dots or tags: those are the provider's business.
func NormalizeEmail(s string) (string, error) {
	bad := fault.New(fault.Invalid, "this is not an e-mail address we can send to").With("field", "email")
	if !utf8.ValidString(s) {
		return "", bad
	}
	s = strings.ToLower(strings.TrimSpace(s))
	local, domain, found := cutLast(s, "@")
	switch {
	case !found || len(s) > maxEmail:
		return "", bad
	case local == "" || len(local) > 64 || strings.ContainsAny(local, "\"@()<>[]:;,\\"):
		return "", bad
	case strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(local, ".."):
		return "", bad
	case !validDomain(domain) || strings.ContainsFunc(s, unprintable):
		return "", bad
	}
	if parsed, err := mail.ParseAddress(s); err != nil || parsed.Name != "" || parsed.Address != s {
		return "", bad
	}
	return s, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func unprintable(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// validDomain takes host names of at least two labels, also in Unicode.
func validDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	if len(labels) < 2 || len(domain) > 253 {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, notHost) {
			return false
		}
	}
	return true
}

func notHost(r rune) bool {
	return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
