package httpcache

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"time"

	"plateia/edge/prefer"
)

// packFrom is the size from which a body is worth packing, in bytes.
const packFrom = 1 << 10

const packedMark = "-gz" // in the ETag of the packed form

// send answers with the document as it is at an instant.
func (d *document) send(w http.ResponseWriter, r *http.Request, now time.Time) {
	h := w.Header()
	for name, values := range d.header {
		h[name] = values
	}
	if d.keeps {
		h.Set("Age", strconv.Itoa(int(d.age(now)/time.Second)))
	}
	body, packs := d.body, d.packs()
	if packs {
		h["Vary"] = append(h["Vary"][:len(h["Vary"]):len(h["Vary"])], "Accept-Encoding")
	}
	if q, _ := prefer.Weight(r.Header.Get("Accept-Encoding"), "gzip"); packs && q > 0 {
		body = d.gzip()
		h.Set("Content-Encoding", "gzip")
		if d.etag != "" {
			h.Set("ETag", d.etag[:len(d.etag)-1]+packedMark+`"`)
		}
	}
	if d.status == http.StatusOK && d.etag != "" && matches(r.Header.Values("If-None-Match"), d.etag) {
		h.Del("Content-Encoding")
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(d.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a reader that has left
	}
}

func (d *document) packs() bool {
	return d.keeps && len(d.body) >= packFrom
}

func (d *document) gzip() []byte {
	d.packed.once.Do(func() {
		var out bytes.Buffer
		z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed) // the level is a valid one
		_, _ = z.Write(d.body)                            // a bytes.Buffer does not fail
		_ = z.Close()
		d.packed.body = out.Bytes()
	})
	return d.packed.body
}

// matches is the weak comparison of If-None-Match (RFC 9110, 13.1.2). Either form of a document is the same document.
func matches(header []string, etag string) bool {
	plain := strings.Trim(etag, `"`)
	for _, line := range header {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimSuffix(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`), packedMark) == plain {
				return true
			}
		}
	}
	return false
}
