package partner

import (
	"net/netip"
	"strconv"
	"strings"

	"plateia/core/fault"
)

// Origin is a page's origin in the one form in which a browser writes it: scheme and host in lower case, a port only
// where it is not the scheme's own, nothing behind it. "https://venue.example", "http://localhost:8081".
type Origin string

// MaxOrigin is the most bytes of an origin: a scheme, a DNS name of 253 and a port.
const MaxOrigin = 270

// ParseOrigin reads an origin as a person writes it, or says with fault.Invalid why there is none in it. Case, the scheme's own port
// and one slash at the end make no difference. There are no patterns: whoever gets hold of any name under a
// wildcard could show a map that takes clicks. http is for this machine and private addresses only, because anybody on
// the way can change such a page. An international name is in its xn-- form here.
func ParseOrigin(text string) (Origin, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	scheme, rest = strings.ToLower(scheme), strings.ToLower(strings.TrimSuffix(rest, "/"))
	switch {
	case len(text) > MaxOrigin:
		return "", refused("an origin has at most %d bytes", MaxOrigin)
	case !ok || scheme != "https" && scheme != "http":
		return "", refused("%q is not an origin such as https://venue.example", text)
	case strings.ContainsRune(rest, '*'):
		return "", refused("%q is a pattern: name every origin by itself", text)
	case strings.ContainsAny(rest, "/?#@\\"):
		return "", refused("%q is an address: an origin is scheme, host and port alone", text)
	}
	host, port, ok := cutPort(rest)
	name, local, known := hostOf(host)
	if port, ok = portOf(port, ok); !ok || !known {
		return "", refused("%q does not name a host: https://venue.example is how it is written, an international name in its xn-- form", text)
	}
	if scheme == "http" && !local {
		return "", refused("%q is not safe: only https, or http on this machine", text)
	}
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return Origin(scheme + "://" + name), nil
	}
	return Origin(scheme + "://" + name + ":" + port), nil
}

func refused(format string, args ...any) error {
	return fault.New(fault.Invalid, format, args...).With("field", "origins")
}

// cutPort splits HOST:PORT, where HOST may be an IPv6 address in brackets. ok is false for a colon without a port.
func cutPort(rest string) (host, port string, ok bool) {
	i := strings.LastIndexByte(rest, ':')
	if i < 0 || strings.HasSuffix(rest, "]") {
		return rest, "", true
	}
	return rest[:i], rest[i+1:], i+1 < len(rest)
}

// portOf is a port without leading zeros.
func portOf(port string, ok bool) (string, bool) {
	if port == "" || !ok {
		return "", ok
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return strconv.FormatUint(n, 10), err == nil && n > 0 && port[0] != '+'
}

// hostOf is the one spelling of a host, and whether it is this machine or in a private network.
func hostOf(host string) (name string, local, ok bool) {
	if inner, bracket := strings.CutPrefix(host, "["); bracket {
		ip, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !strings.HasSuffix(host, "]") || !ip.Is6() || ip.Is4In6() || ip.Zone() != "" {
			return "", false, false
		}
		return "[" + ip.String() + "]", ip.IsLoopback() || ip.IsPrivate(), true
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.String(), ip.IsLoopback() || ip.IsPrivate(), ip.Is4()
	}
	return host, host == "localhost" || strings.HasSuffix(host, ".localhost"), isName(host)
}

// isName accepts a DNS name that no browser takes for an address: its last label is not a number.
func isName(host string) bool {
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if !isLabel(l) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(host) <= 253 && strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x")
}

func isLabel(l string) bool {
	if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(l, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}
