package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"plateia/core/cache"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// Availability documents are made from the engine's projection, never from seat
// rows, and once for everybody who asks while nothing changes: by event, section and form.

// documentRoom is how many bytes of encoded documents are kept. A stadium's is 25 kB as JSON.
const documentRoom = 64 << 20

// documentOverhead is about what a kept document costs besides its bytes.
const documentOverhead = 300

// availabilityDoc is an answer as it is sent.
type availabilityDoc struct {
	stamp uint64 // of the availability it was made from
	body  []byte
	etag  string
}

// documentKey names a document; section is an index, or wholeEvent.
type documentKey struct {
	event   id.ID
	section int
	binary  bool
}

const wholeEvent = -1

type documents = cache.Cache[documentKey, availabilityDoc]

func newDocuments(room int) *documents {
	return cache.New[documentKey](0, room, func(d availabilityDoc) int { return len(d.body) + documentOverhead })
}

type sectionFreeJSON struct {
	Section string `json:"section"`
	Key     string `json:"key"` // how a path names the section
	Free    int    `json:"free"`
	Total   int    `json:"total"`
	Area    bool   `json:"area"` // general admission: only the counts mean anything
}

type positionJSON struct {
	Epoch  int64  `json:"epoch"`
	Offset uint64 `json:"offset"`
}

type availabilityJSON struct {
	Position    positionJSON      `json:"position"`
	SeatsBitmap []byte            `json:"seatsBitmap"` // base64 of two bits per seat, ordinal i at bits 2*(i%4) of byte i/4
	Sections    []sectionFreeJSON `json:"sections"`
}

type sectionAvailabilityJSON struct {
	Position positionJSON `json:"position"`
	sectionFreeJSON
	From        seatmap.Ordinal `json:"from"`
	SeatsBitmap []byte          `json:"seatsBitmap"` // as of the event, from the section's first seat on; null for an area
}

func (a *API) getAvailability(c *call) error {
	return a.sendAvailability(c, func(*seatmap.Chart) (int, error) { return wholeEvent, nil })
}

func (a *API) getSectionAvailability(c *call) error {
	name := c.param("section")
	return a.sendAvailability(c, func(chart *seatmap.Chart) (int, error) { return findSection(chart, name) })
}

// findSection is the index of the section that a path names.
func findSection(chart *seatmap.Chart, key string) (int, error) {
	if label, ok := sectionLabel(key); ok {
		for i, s := range chart.Sections() {
			if s.Label == label {
				return i, nil
			}
		}
	}
	return 0, fault.New(fault.NotFound, "this event has no such section; the event's availability lists the sections with their keys").
		With("field", "section")
}

func (a *API) sendAvailability(c *call, find func(*seatmap.Chart) (int, error)) error {
	event, err := c.paramID("eventId")
	if err != nil {
		return err
	}
	now, err := a.Seats.Availability(c.ctx, event)
	if err != nil {
		return err
	}
	section, err := find(now.Chart)
	if err != nil {
		return err
	}
	key := documentKey{event, section, c.wantsBinary()}
	doc, err := a.documents.GetIf(c.ctx, key, func(d availabilityDoc) bool { return d.stamp >= now.Stamp },
		func(context.Context) (availabilityDoc, error) {
			a.documentsMade.Add(1)
			return encodeAvailability(now, key)
		})
	if err != nil {
		return err
	}
	c.set("Vary", "Accept")
	if c.cache(doc.etag, cacheAvailability) {
		return nil
	}
	kind := "application/json"
	if key.binary {
		kind = binary8
	}
	return c.send(http.StatusOK, kind, doc.body)
}

// encodeAvailability makes a document. Its ETag is of its bytes: the same in every process, and after a restart.
func encodeAvailability(now *inventory.Availability, key documentKey) (doc availabilityDoc, err error) {
	doc.stamp = now.Stamp
	switch {
	case key.binary:
		doc.body = appendAvailability(nil, now, key.section)
	case key.section == wholeEvent:
		doc.body, err = json.Marshal(wholeOf(now))
	default:
		doc.body, err = json.Marshal(sectionOf(now, key.section))
	}
	sum := sha256.Sum256(doc.body)
	doc.etag = hex.EncodeToString(sum[:12])
	return doc, err
}

func wholeOf(now *inventory.Availability) availabilityJSON {
	out := availabilityJSON{
		Position: positionJSON{now.Epoch, now.Offset}, SeatsBitmap: now.Statuses,
		Sections: make([]sectionFreeJSON, len(now.Chart.Sections())),
	}
	for i := range out.Sections {
		out.Sections[i] = freeOf(now, i)
	}
	return out
}

func sectionOf(now *inventory.Availability, i int) sectionAvailabilityJSON {
	return sectionAvailabilityJSON{
		Position: positionJSON{now.Epoch, now.Offset}, sectionFreeJSON: freeOf(now, i),
		From: now.Chart.Sections()[i].From, SeatsBitmap: sectionBitmap(now, i),
	}
}

func freeOf(now *inventory.Availability, i int) sectionFreeJSON {
	s := &now.Chart.Sections()[i]
	return sectionFreeJSON{Section: s.Label, Key: sectionKey(s.Label), Free: now.Free[i], Total: int(s.To - s.From), Area: s.General}
}
