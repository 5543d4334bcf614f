package local

import (
	"encoding/binary"
	"net/http"
	"strings"
	"sync"

	"plateia/core/id"
)

// HomeHeader is how the API says, with an event's document, in which region the event is at home: where its rows are, and
// where the engine is that knows its seats. It stays behind the edge.
const HomeHeader = "Plateia-Home"

// homes are the home regions of events, learned from their documents as they pass. Changes of an event's seats go to its
// home first, so that one engine decides about most of them; what only reads is answered nearby. It is an advice: whoever
// has not been told, as after a start, goes by the own order, and any region decides rightly.
type homes struct {
	mu     sync.Mutex
	region map[mark]string
}

// mark is what the ids of an event and of its holds have in common, see id.NewIn. Two events with one mark are sent to one
// home, which does no harm.
type mark uint32

// homesKept bounds the memory: some 5 MB.
const homesKept = 1 << 16

func newHomes() *homes { return &homes{region: map[mark]string{}} }

// learn notes what an answer says about the event in a path.
func (h *homes) learn(path string, header http.Header) {
	home := header.Get(HomeHeader)
	if home == "" {
		return
	}
	header.Del(HomeHeader)
	event, resource := eventPath(path)
	if h == nil || event.IsZero() || resource != "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.region) >= homesKept {
		clear(h.region)
	}
	h.region[markOf(event[12:])] = home
}

// of is the region that a request should go to; "" when there is none to prefer.
func (h *homes) of(r *http.Request) string {
	if h == nil || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return ""
	}
	about, ok := about(r.URL.Path)
	if !ok {
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.region[about]
}

// about is the event that a path is about, or that the hold in it is of.
func about(path string) (m mark, ok bool) {
	if event, _ := eventPath(path); !event.IsZero() {
		return markOf(event[12:]), true
	}
	rest, ok := strings.CutPrefix(path, "/v1/holds/")
	if !ok {
		return 0, false
	}
	name, _, _ := strings.Cut(rest, "/")
	hold, err := id.Parse(name)
	return markOf(hold[:4]), err == nil
}

func markOf(b []byte) mark { return mark(binary.BigEndian.Uint32(b)) }
