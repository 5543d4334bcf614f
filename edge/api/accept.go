package api

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// wantsBinary reports whether Accept names application/octet-stream and does not
// like JSON better. Anything else gets JSON.
func (c *call) wantsBinary() bool {
	accept := c.header(fiber.HeaderAccept)
	binary, named := quality(accept, binary8)
	json, _ := quality(accept, fiber.MIMEApplicationJSON)
	return named && binary > 0 && binary >= json
}

func (c *call) acceptsGzip() bool {
	q, named := quality(c.header(fiber.HeaderAcceptEncoding), "gzip")
	return named && q > 0
}

// quality is what a header like Accept gives a thing that it names itself: 1 unless
// it says otherwise, 0 for "anything but this". Wildcards are nobody's wish.
func quality(header, thing string) (q float64, named bool) {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), thing) {
			return qualityOf(params), true
		}
	}
	return 0, false
}

func qualityOf(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); strings.EqualFold(name, "q") && err == nil {
			return q
		}
	}
	return 1
}

// matchesETag is the weak comparison of RFC 9110 with an If-None-Match header: "*"
// alone, or a list of entity tags. etag is without quotes. A list is read up to its first mistake.
func matchesETag(header, etag string) bool {
	header = strings.Trim(header, " \t")
	if header == "*" {
		return true
	}
	for header != "" {
		tag, rest, ok := cutETag(header)
		if !ok {
			return false
		}
		if tag == etag {
			return true
		}
		header = rest
	}
	return false
}

// cutETag takes the first entity tag off a list, without W/ and quotes. Commas may be in it.
func cutETag(list string) (tag, rest string, ok bool) {
	list = strings.TrimPrefix(list, "W/")
	if !strings.HasPrefix(list, `"`) {
		return "", "", false
	}
	tag, rest, ok = strings.Cut(list[1:], `"`)
	rest = strings.TrimLeft(rest, " \t")
	if !ok || rest != "" && rest[0] != ',' {
		return "", "", false
	}
	return tag, strings.TrimLeft(rest, ", \t"), true
}
