package api

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"plateia/edge/prefer"
)

// wantsBinary reports whether Accept names application/octet-stream and does not
// like JSON better. Anything else gets JSON.
func (c *call) wantsBinary() bool {
	accept := c.header(fiber.HeaderAccept)
	binary, named := prefer.Weight(accept, binary8)
	json, _ := prefer.Weight(accept, fiber.MIMEApplicationJSON)
	return named && binary > 0 && binary >= json
}

func (c *call) acceptsGzip() bool {
	q, named := prefer.Weight(c.header(fiber.HeaderAcceptEncoding), "gzip")
	return named && q > 0
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
