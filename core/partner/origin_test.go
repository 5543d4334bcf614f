package partner

import (
	"net/url"
	"strings"
	"testing"

	"plateia/core/fault"
)

func TestOriginsHaveOneForm(t *testing.T) {
	for text, want := range map[string]Origin{
		"https://venue.example": "https://venue.example", "HTTPS://Venue.EXAMPLE": "https://venue.example", "https://venue.example/": "https://venue.example",
		"https://venue.example:443": "https://venue.example", "https://venue.example:8443": "https://venue.example:8443", "https://venue.example:0443": "https://venue.example",
		"https://venue.example:80": "https://venue.example:80", "http://localhost:80": "http://localhost", "http://LOCALHOST:8081": "http://localhost:8081",
		"http://shop.localhost:3000": "http://shop.localhost:3000", "http://127.0.0.1:8081": "http://127.0.0.1:8081", "http://[::1]:8081": "http://[::1]:8081",
		"http://[0:0:0:0:0:0:0:1]": "http://[::1]", "http://192.168.0.7:3000": "http://192.168.0.7:3000", "https://[2001:DB8::1]": "https://[2001:db8::1]",
		"https://xn--strae-oqa.example": "https://xn--strae-oqa.example", "https://XN--Strae-OQA.example": "https://xn--strae-oqa.example",
		"https://203.0.113.9": "https://203.0.113.9", "https://a_b.example": "https://a_b.example",
	} {
		if got, err := ParseOrigin(text); err != nil || got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

func TestWhatIsNoOrigin(t *testing.T) {
	for _, text := range []string{
		"", "null", "*", "https://*", "https://*.venue.example", "https://venue.*", "venue.example", "//venue.example", "https:venue.example", "https:/venue.example", "https://",
		"https://venue.example/tickets", "https://venue.example//", "https://venue.example?x", "https://venue.example#x", "https://venue.example/?", "https://user@venue.example", "https://u:p@venue.example",
		"http://venue.example", "http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://203.0.113.9", "ftp://venue.example", "file://", "file:///", "javascript://venue.example", "data:text/html,x",
		"chrome-extension://abcdef", "wss://venue.example", "https://venue.example:", "https://venue.example:0", "https://venue.example:65536", "https://venue.example:+443", "https://venue.example:-1", "https://venue.example:x", "https://venue.example:8443:1",
		"https://venue.example ", " https://venue.example", "https://venue .example", "https://venue.example; script-src *", "https://a,b.example", "https://venue.example\r\nX: y", "https://venue\x00.example", "https://venue.example\\x",
		"https://straße.example", "https://Москва.example", "https://venue。example", "https://vеnue.example", // an international name comes through edge/origin
		"https://.example", "https://venue..example", "https://venue.example.", "https://-a.example", "https://a-.example", "https://1.2.3", "https://0x7f.1", "https://0x7f000001", "https://017700000001", "https://127.0.0.1.", "https://1.2.3.256",
		"https://[::1", "https://::1", "https://[fe80::1%25eth0]", "https://[::ffff:1.2.3.4]", "https://[1.2.3.4]", "https://" + strings.Repeat("a", 64) + ".example", "https://" + strings.Repeat("a.", 140) + "example",
	} {
		if got, err := ParseOrigin(text); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q is taken for %q (%v)", text, got, err)
		}
	}
}

// Whatever is accepted is a browser's origin: it has no more than scheme, host and port, is stable, and adds no word to a header.
func FuzzParseOrigin(f *testing.F) {
	for _, seed := range []string{"https://venue.example", "HTTP://[::1]:80/", "https://a:443", "http://127.1", "https://xn--a", "https://x;y", "null", "https://*.a", "http://localhost:0080"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOrigin(text)
		if err != nil {
			return
		}
		if again, err := ParseOrigin(string(o)); err != nil || again != o {
			t.Fatalf("%q became %q, and that %q, %v", text, o, again, err)
		}
		if len(o) > MaxOrigin || strings.ContainsFunc(string(o), func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`;,'"*/\?#@`, r) && r != '/' }) {
			t.Fatalf("%q became %q", text, o)
		}
		u, err := url.Parse(string(o))
		if err != nil || u.Scheme+"://"+u.Host != string(o) || u.Host == "" || u.User != nil || strings.ToLower(string(o)) != string(o) {
			t.Fatalf("%q became %q, which is %+v, %v", text, o, u, err)
		}
		if u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443" {
			t.Fatalf("%q keeps its scheme's own port: %q", text, o)
		}
	})
}
