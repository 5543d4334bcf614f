package local

import (
	"net/http"
	"strings"
)

// secure sets the headers that every answer has; see SECURITY.md. A page may load what its own origin serves and nothing else, may not be
// framed, and shares no window with another site's.
func (e *Edge) secure(h http.Header, r *http.Request) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", permissions(""))
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", policy(r.Host, "'none'"))
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		asFile(h)
	}
	if e.opts.Secure { // where fans come by https alone; elsewhere it would lock them out of this machine's other servers
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// asFile puts in place of a page's headers what any other answer needs: should somebody open it as a page, it may do nothing. A visit
// has many such answers, and over HTTP/1.1 each would bring 0.5 kB of headers that nobody reads.
func asFile(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
	h.Del("Permissions-Policy")
	h.Del("Cross-Origin-Opener-Policy")
}

// noPowers are the browser's powers that no page of ours asks for, nor a frame in one.
var noPowers = []string{
	"accelerometer", "bluetooth", "camera", "display-capture", "geolocation", "gyroscope", "hid", "magnetometer", "microphone", "midi", "payment", "serial", "usb",
}

// permissions is a Permissions-Policy; one power may be left to the page itself.
func permissions(own string) string {
	all := make([]string, len(noPowers))
	for i, name := range noPowers {
		if all[i] = name + "=()"; name == own {
			all[i] = name + "=(self)"
		}
	}
	return strings.Join(all, ", ")
}

// policy is the pages' Content-Security-Policy. The live map's socket is named
// by host, because not every browser counts ws: as 'self'.
func policy(host, ancestors string) string {
	connect := "'self'"
	if plainHost(host) {
		connect += " ws://" + host + " wss://" + host
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
		"connect-src " + connect + "; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors " + ancestors
}

// plainHost keeps a forged Host header from adding words to the policy.
func plainHost(host string) bool {
	if host == "" || len(host) > 255 {
		return false
	}
	return !strings.ContainsFunc(host, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		digit := r >= '0' && r <= '9'
		return !letter && !digit && !strings.ContainsRune(".-:[]", r)
	})
}
