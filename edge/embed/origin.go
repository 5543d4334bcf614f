package embed

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"plateia/core/fault"
	"plateia/core/partner"
)

// names turns international names into what browsers send (UTS 46, as browsers apply it), and refuses what they would not open.
var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckJoiners(true), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// ParseOrigin is partner.ParseOrigin for what people type: an international name is put into its xn-- form. The answer
// shows it, so that a name that only looks like another is seen for what it is.
func ParseOrigin(text string) (partner.Origin, error) {
	text = strings.TrimSpace(text)
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || len(text) > 4*partner.MaxOrigin || !utf8.ValidString(text) {
		return partner.ParseOrigin(text)
	}
	end := strings.IndexAny(rest, ":/?#@\\[")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if ascii(host) && !strings.Contains(strings.ToLower(host), "xn--") {
		return partner.ParseOrigin(text)
	}
	name, err := names.ToASCII(host)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "%q is no name that a browser opens", host).With("field", "origins")
	}
	return partner.ParseOrigin(scheme + "://" + name + rest[end:])
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' })
}
