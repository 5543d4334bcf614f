package mint

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/waitingroom/draw"
)

// Codes are presale codes: a tier and a serial number with a MAC over both and the event, so that nobody keeps a list
// of them. A code is 20 letters and digits in groups of five; case, spaces and hyphens do not matter, and neither does an O for a 0.
type Codes struct{ key []byte }

// NewCodes returns the codes of a secret, at least 32 bytes.
func NewCodes(secret []byte) *Codes {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("plateia presale codes 1"))
	return &Codes{mac.Sum(nil)}
}

const (
	codeBytes = 13 // tier in 4 bits, serial in 32, MAC in 64, and 4 bits that are zero
	codeText  = 20 // characters; a 21st would be those 4 bits
)

// crockford is an alphabet without letters that look like digits.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

func (c *Codes) mac(event id.ID, tier int, serial uint32) []byte {
	mac := hmac.New(sha256.New, c.key)
	mac.Write(event[:])
	mac.Write([]byte{byte(tier)})
	mac.Write(binary.BigEndian.AppendUint32(nil, serial))
	return mac.Sum(nil)[:8]
}

// Make is the code of a serial number.
func (c *Codes) Make(event id.ID, tier int, serial uint32) string {
	raw := make([]byte, codeBytes)
	binary.BigEndian.PutUint64(raw, uint64(tier)<<60|uint64(serial)<<28)
	mac := binary.BigEndian.Uint64(c.mac(event, tier, serial))
	head := binary.BigEndian.Uint64(raw) | mac>>36
	binary.BigEndian.PutUint64(raw, head)
	tail := mac << 28 // 36 bits are left, from the top
	for i := range 5 {
		raw[8+i] = byte(tail >> (56 - 8*i))
	}
	text := crockford.EncodeToString(raw)[:codeText]
	return text[:5] + "-" + text[5:10] + "-" + text[10:15] + "-" + text[15:]
}

// Read returns the tier that a code opens and the name under which its use is kept; false: it is none of the event's.
func (c *Codes) Read(eventID id.ID, text string) (tier int, name draw.Digest, ok bool) {
	if len(text) > 4*codeText {
		return 0, name, false
	}
	raw, err := crockford.DecodeString(plainCode(text) + "0") // the last character's lower bits are beyond the code
	if err != nil || len(raw) != codeBytes {
		return 0, name, false
	}
	head := binary.BigEndian.Uint64(raw)
	tier, serial := int(head>>60), uint32(head>>28)
	if tier >= event.MaxTiers || !hmac.Equal([]byte(c.Make(eventID, tier, serial)), []byte(grouped(plainCode(text)))) {
		return 0, name, false
	}
	return tier, c.name(eventID, tier, serial), true
}

func (c *Codes) name(event id.ID, tier int, serial uint32) draw.Digest {
	return sha256.Sum256(append([]byte("plateia presale code 1"), c.mac(event, tier, serial)...))
}

// plainCode is a code as we write it, without hyphens.
func plainCode(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '\t':
			return -1
		case 'o', 'O':
			return '0'
		case 'i', 'I', 'l', 'L':
			return '1'
		}
		return r
	}, strings.ToUpper(text))
}

func grouped(text string) string {
	if len(text) != codeText {
		return text
	}
	return text[:5] + "-" + text[5:10] + "-" + text[10:15] + "-" + text[15:]
}
