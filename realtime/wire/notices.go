package wire

import "plateia/core/id"

// Addressed is a notice and whose screens it is for; the zero account: everybody who looks at the event.
type Addressed struct {
	Account id.ID
	Notice
}

const noticesVersion = 1

// noticesHeader is the version byte and the event.
const noticesHeader = 1 + 16

// NoticesSize bounds the message of n notices whose bodies have so many bytes together.
func NoticesSize(n, bodies int) int { return noticesHeader + 8 + n*(16+1+8) + bodies }

// EncodeNotices returns the notice message that the processes which change holds and orders send to gateways.
func EncodeNotices(event id.ID, notices []Addressed) []byte {
	bodies := 0
	for i := range notices {
		bodies += len(notices[i].Body)
	}
	dst := append(make([]byte, 0, NoticesSize(len(notices), bodies)), noticesVersion)
	dst = append(dst, event[:]...)
	dst = appendVarint(dst, uint64(len(notices)))
	for i := range notices {
		n := &notices[i]
		dst = append(append(dst, n.Account[:]...), byte(n.Kind))
		dst = append(appendVarint(dst, uint64(len(n.Body))), n.Body...)
	}
	return dst
}

// DecodeNotices reads what EncodeNotices wrote; the bodies share b's memory. Errors wrap ErrMalformed or are ErrVersion.
func DecodeNotices(b []byte) (event id.ID, notices []Addressed, err error) {
	c := cursor{rest: b}
	if v := c.byte("version"); c.err == nil && v != noticesVersion {
		return event, nil, ErrVersion
	}
	copy(event[:], c.bytes(16, "event id"))
	n := c.count(len(c.rest)/(16+1+1), "number of notices")
	if c.err == nil {
		notices = make([]Addressed, n)
	}
	for i := range notices {
		copy(notices[i].Account[:], c.bytes(16, "account"))
		notices[i].Kind = NoticeKind(c.byte("notice kind"))
		notices[i].Body = c.bytes(c.count(MaxNotice, "notice length"), "notice")
	}
	if err := c.done(); err != nil {
		return id.ID{}, nil, err
	}
	return event, notices, nil
}
