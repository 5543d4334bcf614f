package db

import "plateia/core/id"

// pgx sends and scans [16]byte as uuid. id.ID has a UnmarshalText of its own, so it is
// passed as its bytes: uid going out, (*[16]byte)(&v) coming in.

// uid is v as a query argument; NULL for the zero ID.
func uid(v id.ID) any {
	if v.IsZero() {
		return nil
	}
	return [16]byte(v)
}

// uids is vs as a uuid[] argument: "= any($1::uuid[])".
func uids(vs []id.ID) [][16]byte {
	out := make([][16]byte, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}

// into is where a uuid column that is never NULL is scanned.
func into(v *id.ID) *[16]byte { return (*[16]byte)(v) }

// nullable scans a uuid column that may be NULL: NULL leaves the zero ID.
type nullable struct{ v *id.ID }

// Scan is sql.Scanner's: pgx hands it a uuid as text, and NULL as nil.
func (n nullable) Scan(src any) error {
	*n.v = id.ID{}
	if text, ok := src.(string); ok {
		return n.v.UnmarshalText([]byte(text))
	}
	return nil
}

// maybe is where a uuid column that may be NULL is scanned.
func maybe(v *id.ID) nullable { return nullable{v} }
