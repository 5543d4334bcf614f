package api

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
)

// listQuery reads a question. One that cannot be asked says which of its parts is wrong.
func listQuery(c *call) (q event.Query, err error) {
	if err := c.onlyQueries("q", "city", "venue", "genre", "near", "km", "from", "to", "sort", "limit", "cursor"); err != nil {
		return q, err
	}
	for name, to := range map[string]*string{"q": &q.Text, "city": &q.City, "venue": &q.Venue, "genre": &q.Genre} {
		if *to, err = c.queryText(name); err != nil {
			return q, err
		}
	}
	for name, text := range map[string]string{"city": q.City, "venue": q.Venue, "genre": q.Genre} {
		if text != "" && event.Key(text) == "" { // it would ask for everything
			return q, invalid(name, "%s is a name", name)
		}
	}
	for name, to := range map[string]*event.Day{"from": &q.From, "to": &q.To} {
		if *to, err = c.queryDay(name); err != nil {
			return q, err
		}
	}
	if q.Near, err = c.queryArea(); err != nil {
		return q, err
	}
	if q.Limit, err = c.queryNumber("limit", defaultLimit, event.MaxLimit); err != nil {
		return q, err
	}
	q.Sort = event.Sort(c.query("sort"))
	q = q.Canonical()
	if text := c.query("cursor"); text != "" {
		after, ok := readCursor(q.Sort, text)
		if !ok {
			return q, invalid("cursor", "cursor is not one that we gave out for this order")
		}
		q.After = after
	}
	return q, q.Check()
}

func invalid(field, format string, args ...any) error {
	return fault.New(fault.Invalid, format, args...).With("field", field)
}

// onlyQueries refuses what is not asked for and what is said twice: each spelling of a question is a document of
// its own to a cache, and must at least be a question.
func (c *call) onlyQueries(known ...string) error {
	var err error
	seen := map[string]bool{}
	c.fc.Context().QueryArgs().VisitAll(func(key, _ []byte) {
		name := string(key)
		switch {
		case err != nil:
		case !slices.Contains(known, name):
			name = strings.ToValidUTF8(name[:min(len(name), 50)], "")
			err = invalid(name, "this answers to %s, not to %q", strings.Join(known, ", "), name)
		case seen[name]:
			err = invalid(name, "%s is given twice", name)
		}
		seen[name] = true
	})
	return err
}

func (c *call) queryText(name string) (string, error) {
	text := c.query(name)
	if len(text) > maxSearch || !utf8.ValidString(text) {
		return "", invalid(name, "%s is text of at most %d bytes", name, maxSearch)
	}
	return text, nil
}

func (c *call) queryNumber(name string, otherwise, most int) (int, error) {
	text := c.query(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, invalid(name, "%s is a number from 1 to %d", name, most)
	}
	return n, nil
}

func (c *call) queryDay(name string) (event.Day, error) {
	text := c.query(name)
	if text == "" {
		return 0, nil
	}
	day, ok := event.ParseDay(text)
	if !ok {
		return 0, invalid(name, "%s is a day as in 2026-11-30", name)
	}
	return day, nil
}

func (c *call) queryArea() (area event.Area, err error) {
	text, km := c.query("near"), c.query("km")
	if text == "" {
		if km != "" {
			return area, invalid("km", "km needs a place: near")
		}
		return area, nil
	}
	lat, lon, ok := strings.Cut(text, ",")
	var bad [2]error
	area.Latitude, bad[0] = strconv.ParseFloat(lat, 64)
	area.Longitude, bad[1] = strconv.ParseFloat(lon, 64)
	if !ok || bad[0] != nil || bad[1] != nil {
		return area, invalid("near", "near is a latitude and a longitude in degrees as in -23.55,-46.63")
	}
	area.Km, err = c.queryNumber("km", defaultKm, event.MaxKm)
	return area, err
}

// A cursor is the first letters of its order and what the order needs.
func writeCursor(sort event.Sort, c event.Cursor) string {
	raw := []byte{sort[0], sort[1]}
	if sort != event.ByDate {
		raw = binary.BigEndian.AppendUint64(raw, uint64(c.Key))
	}
	raw = append(raw, c.Currency...)
	raw = binary.BigEndian.AppendUint64(raw, uint64(c.StartsAt))
	return base64.RawURLEncoding.EncodeToString(append(raw, c.ID[:]...))
}

func readCursor(sort event.Sort, text string) (c event.Cursor, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	want := map[event.Sort]int{event.ByDate: 26, event.ByDistance: 34, event.ByPrice: 37}[sort]
	if err != nil || len(raw) != want || string(raw[:2]) != string(sort[:2]) {
		return c, false
	}
	raw = raw[2:]
	if sort != event.ByDate {
		c.Key, raw = int64(binary.BigEndian.Uint64(raw)), raw[8:]
	}
	if sort == event.ByPrice {
		c.Currency, raw = string(raw[:3]), raw[3:]
	}
	c.StartsAt, c.ID = int64(binary.BigEndian.Uint64(raw)), id.ID(raw[8:])
	return c, (sort != event.ByPrice || isCurrency(c.Currency)) && c.StartsAt >= 0 && c.StartsAt <= lastInstant
}

// lastInstant is the end of the year 9999 in Unix milliseconds: a database has no room for every int64.
const lastInstant = 253_402_300_799_999

// isCurrency accepts ISO 4217 codes alone: a database takes no zero byte in a text.
func isCurrency(code string) bool {
	return !strings.ContainsFunc(code, func(r rune) bool { return r < 'A' || r > 'Z' })
}
