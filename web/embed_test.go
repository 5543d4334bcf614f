package web

import (
	"io/fs"
	"strings"
	"testing"
)

func TestAssetsAreWholeWhenBuilt(t *testing.T) {
	if !Built() {
		t.Skip("web/dist is not built (npm run build)")
	}
	for _, page := range []string{"index.html", "event.html", "line.html", "pay.html", "orders.html", "order.html"} {
		body, err := fs.ReadFile(Assets(), page)
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		for _, ref := range references(string(body)) {
			for _, form := range []string{"", ".br", ".gz"} {
				if _, err := fs.Stat(Assets(), ref+form); err != nil && !strings.HasSuffix(ref, ".png") {
					t.Errorf("%s references /%s, and its form %q is missing: %v", page, ref, form, err)
				}
			}
		}
	}
}

// references lists the hashed files that a page names.
func references(html string) (refs []string) {
	for _, part := range strings.Split(html, `"/assets/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		refs = append(refs, "assets/"+name)
	}
	return refs
}
