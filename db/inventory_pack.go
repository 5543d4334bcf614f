package db

import (
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"plateia/core/id"
	"plateia/core/inventory"
)

// The engine sends thousands of values per statement, as arrays. They are packed
// into PostgreSQL's binary array format here, once, instead of value by value through
// reflection; everything else about a statement stays pgx's business.

// packed is an array argument that is in wire form already.
type packed []byte

// OIDs of the element and array types that are packed; both databases use the same.
const (
	oidBool, oidBools             = 16, 1000
	oidBytea, oidByteas           = 17, 1001
	oidInt8, oidInt8s             = 20, 1016
	oidText, oidTexts             = 25, 1009
	oidTimestamptz, oidTimestamps = 1184, 1185
	oidTID, oidTIDs               = 27, 1010
	oidUUID, oidUUIDs             = 2950, 2951
)

// epoch is where PostgreSQL counts microseconds from.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newArray(oid uint32, n, size int) packed {
	a := make(packed, 0, 20+n*(4+size))
	if n == 0 {
		return binary.BigEndian.AppendUint32(append(a, 0, 0, 0, 0, 0, 0, 0, 0), oid)
	}
	return a.beginArray(oid, n)
}

// beginArray appends the head of an array of n, which are more than none.
func (a packed) beginArray(oid uint32, n int) packed {
	a = binary.BigEndian.AppendUint32(a, 1) // dimensions
	a = binary.BigEndian.AppendUint32(a, 1) // may have NULLs
	a = binary.BigEndian.AppendUint32(a, oid)
	a = binary.BigEndian.AppendUint32(a, uint32(n))
	return binary.BigEndian.AppendUint32(a, 1) // first index
}

func (a packed) null() packed { return append(a, 0xff, 0xff, 0xff, 0xff) }

func (a packed) int8(v int64) packed {
	return binary.BigEndian.AppendUint64(append(a, 0, 0, 0, 8), uint64(v))
}

// uuid appends v; NULL for the zero ID.
func (a packed) uuid(v id.ID) packed {
	if v.IsZero() {
		return a.null()
	}
	return append(append(a, 0, 0, 0, 16), v[:]...)
}

// time appends v; NULL for the zero time.
func (a packed) time(v time.Time) packed {
	if v.IsZero() {
		return a.null()
	}
	return a.int8(v.Sub(epoch).Microseconds())
}

func (a packed) bool(v bool) packed {
	if v {
		return append(a, 0, 0, 0, 1, 1)
	}
	return append(a, 0, 0, 0, 1, 0)
}

func (a packed) bytes(v []byte) packed {
	return append(binary.BigEndian.AppendUint32(a, uint32(len(v))), v...)
}

func (a packed) text(v string) packed {
	return append(binary.BigEndian.AppendUint32(a, uint32(len(v))), v...)
}

func packInt8s[T any](list []T, of func(*T) int64) packed {
	a := newArray(oidInt8, len(list), 8)
	for i := range list {
		a = a.int8(of(&list[i]))
	}
	return a
}

func packUUIDs[T any](list []T, of func(*T) id.ID) packed {
	a := newArray(oidUUID, len(list), 16)
	for i := range list {
		a = a.uuid(of(&list[i]))
	}
	return a
}

func packTimes[T any](list []T, of func(*T) time.Time) packed {
	a := newArray(oidTimestamptz, len(list), 8)
	for i := range list {
		a = a.time(of(&list[i]))
	}
	return a
}

func packTexts[T any](list []T, of func(*T) string) packed {
	a := newArray(oidText, len(list), 24)
	for i := range list {
		a = a.text(of(&list[i]))
	}
	return a
}

func packBools[T any](list []T, of func(*T) bool) packed {
	a := newArray(oidBool, len(list), 1)
	for i := range list {
		a = a.bool(of(&list[i]))
	}
	return a
}

func packByteas[T any](list []T, of func(*T) []byte) packed {
	a := newArray(oidBytea, len(list), 32)
	for i := range list {
		a = a.bytes(of(&list[i]))
	}
	return a
}

// packTIDs packs rows' places in their table (ctid: six bytes).
func packTIDs[T any](list []T, of func(*T) inventory.Place) packed {
	a := newArray(oidTID, len(list), 6)
	for i := range list {
		place := uint64(of(&list[i]))
		a = binary.BigEndian.AppendUint16(append(a, 0, 0, 0, 6), uint16(place>>32))
		a = binary.BigEndian.AppendUint32(a, uint32(place))
	}
	return a
}

func self[T any](v *T) T { return *v }

// acceptPacked teaches a connection to take packed arguments where arrays are expected.
func acceptPacked(conn *pgx.Conn) {
	for _, oid := range []uint32{oidBools, oidByteas, oidInt8s, oidTexts, oidTimestamps, oidTIDs, oidUUIDs} {
		known, ok := conn.TypeMap().TypeForOID(oid)
		if !ok { // tid[], which pgx does not know
			known = &pgtype.Type{Name: "_tid", Codec: pgtype.ByteaCodec{}}
		}
		conn.TypeMap().RegisterType(&pgtype.Type{Name: known.Name, OID: oid, Codec: packedCodec{known.Codec}})
	}
}

type packedCodec struct{ pgtype.Codec }

func (c packedCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(packed); ok && format == pgtype.BinaryFormatCode {
		return sendPacked{}
	}
	return c.Codec.PlanEncode(m, oid, format, value)
}

type sendPacked struct{}

func (sendPacked) Encode(value any, buf []byte) ([]byte, error) {
	return append(buf, value.(packed)...), nil
}

// Raw values of a result row, in binary form. NULL is nil.

func rawInt(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

func rawBool(b []byte) bool { return len(b) == 1 && b[0] != 0 }

func rawUUID(b []byte) (v id.ID) {
	copy(v[:], b)
	return v
}

// rawPlace is a ctid; none when the database has none.
func rawPlace(b []byte) inventory.Place {
	if len(b) != 6 {
		return 0
	}
	return inventory.Place(binary.BigEndian.Uint16(b))<<32 | inventory.Place(binary.BigEndian.Uint32(b[2:]))
}

func rawTime(b []byte) time.Time {
	if len(b) != 8 {
		return time.Time{}
	}
	return epoch.Add(time.Duration(rawInt(b)) * time.Microsecond)
}

// rawInts is an int8[] without NULLs.
func rawInts(b []byte) []int64 {
	if len(b) < 20 {
		return nil
	}
	out := make([]int64, 0, binary.BigEndian.Uint32(b[12:]))
	for b = b[20:]; len(b) >= 12; b = b[12:] {
		out = append(out, rawInt(b[4:12]))
	}
	return out
}
