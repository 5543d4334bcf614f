package web

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// inline is what a strict Content-Security-Policy forbids and a browser would leave out without a word.
var inline = regexp.MustCompile(`(?i)<script(?:\s+(?:type|async|defer|crossorigin|nomodule)(?:="[^"]*")?)*\s*>|<style|<[a-z][^>]*\s(?:style|on[a-z]+)\s*=|(?:href|src|action)\s*=\s*["']?\s*(?:javascript|data):|<base[^>]*\shref|<meta[^>]*http-equiv=["']?(?:refresh|content-security)`)

// foreign are addresses of others that a page would load from.
var foreign = regexp.MustCompile(`(?i)<(?:script|link|img|iframe|source|form|object|embed)[^>]*\s(?:src|href|action|data)\s*=\s*["']?(?:https?:)?//[^"'\s>]*`)

// Every page that is built, in every language, lives under its policy: nothing inline, nothing from elsewhere.
func TestPagesAreStrict(t *testing.T) {
	if !Built() {
		t.Skip("web/dist is not built (npm run build)")
	}
	walked := 0
	err := fs.WalkDir(Assets(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".html" || strings.HasPrefix(name, "partner/") {
			return err
		}
		body, err := fs.ReadFile(Assets(), name)
		walked++
		for what, found := range map[string]string{"inline": inline.FindString(string(body)), "from elsewhere": foreign.FindString(string(body))} {
			if found != "" {
				t.Errorf("%s: %s: %s", name, what, found)
			}
		}
		return err
	})
	if err != nil || walked < 24 {
		t.Errorf("%d pages, %v", walked, err)
	}
}

func TestWhatIsNotStrictIsSeen(t *testing.T) {
	for _, page := range []string{"<script>x</script>", `<script type="module">x</script>`, "<STYLE>", `<p style="x">`, `<a onclick="x">`, `<a href="javascript:x">`, `<base href="/">`, `<meta http-equiv="refresh">`, `<body class="a" onload=x>`} {
		if inline.FindString(page) == "" {
			t.Errorf("%s passes", page)
		}
	}
	for _, page := range []string{`<script src="https://cdn.example/x.js"></script>`, `<link rel="icon" href="//cdn.example/x">`, `<img src='http://x.example'>`} {
		if foreign.FindString(page) == "" {
			t.Errorf("%s passes", page)
		}
	}
	for _, page := range []string{`<script type="module" src="/assets/a.js"></script>`, `<a href="https://venue.example">`, `<div class="styled" data-on="x">`, `<link rel="stylesheet" href="/assets/a.css">`} {
		if got := inline.FindString(page) + foreign.FindString(page); got != "" {
			t.Errorf("%s: %s", page, got)
		}
	}
}
