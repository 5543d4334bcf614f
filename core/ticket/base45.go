package ticket

import "strings"

// alphabet45 is RFC 9285's, which is QR's alphanumeric set.
const alphabet45 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"

// encodedLen45 is the length of n bytes in base45.
func encodedLen45(n int) int { return n/2*3 + n%2*2 }

// encode45 writes pairs of bytes as three characters, least significant first,
// and a last single byte as two.
func encode45(raw []byte) string {
	var out strings.Builder
	out.Grow(encodedLen45(len(raw)))
	for len(raw) >= 2 {
		v := int(raw[0])<<8 | int(raw[1])
		out.WriteByte(alphabet45[v%45])
		out.WriteByte(alphabet45[v/45%45])
		out.WriteByte(alphabet45[v/2025])
		raw = raw[2:]
	}
	if len(raw) == 1 {
		out.WriteByte(alphabet45[raw[0]%45])
		out.WriteByte(alphabet45[raw[0]/45])
	}
	return out.String()
}

// decode45 is strict: groups above their range are refused, so that no two texts mean the same bytes.
func decode45(text string) ([]byte, bool) {
	if len(text)%3 == 1 {
		return nil, false
	}
	out := make([]byte, 0, len(text)/3*2+1)
	for len(text) > 0 {
		group := text[:min(3, len(text))]
		text = text[len(group):]
		v := 0
		for i := len(group) - 1; i >= 0; i-- {
			digit := strings.IndexByte(alphabet45, group[i])
			if digit < 0 {
				return nil, false
			}
			v = v*45 + digit
		}
		switch {
		case len(group) == 3 && v <= 0xffff:
			out = append(out, byte(v>>8), byte(v))
		case len(group) == 2 && v <= 0xff:
			out = append(out, byte(v))
		default:
			return nil, false
		}
	}
	return out, true
}
