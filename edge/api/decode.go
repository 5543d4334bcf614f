package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"plateia/core/fault"
)

// maxDepth of a JSON body; nothing here nests deeper than three.
const maxDepth = 16

// decodeObject reads one JSON object into v. Refused: anything but one object,
// truncated or trailing input, invalid UTF-8, a member given twice (also in
// another case, because Go's decoder would take either), deep nesting and
// values of another type. Members that v does not know are ignored, so that a
// newer client can talk to an older server.
func decodeObject(body []byte, v any) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return fault.New(fault.Invalid, "the body is empty; a JSON object is expected")
	}
	if !utf8.Valid(body) {
		return fault.New(fault.Invalid, "the body is not UTF-8")
	}
	if err := scanObject(body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return decodeFault(err)
	}
	return nil
}

func decodeFault(err error) *fault.Error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fault.Wrap(err, fault.Invalid, "%s has the wrong type or is out of range", wrong.Field).With("field", wrong.Field)
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return fault.Wrap(err, fault.Invalid, "the body is not the JSON object this route expects")
}

// scanObject walks the tokens of exactly one object.
func scanObject(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	first, err := d.Token()
	if err != nil {
		return malformed(err)
	}
	if first != json.Delim('{') {
		return fault.New(fault.Invalid, "the body must be a JSON object")
	}
	if err := scanMembers(d, 1); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "there is something after the JSON object")
	}
	return nil
}

func scanMembers(d *json.Decoder, depth int) error {
	seen := make(map[string]bool)
	for {
		name, err := d.Token()
		if err != nil {
			return malformed(err)
		}
		if name == json.Delim('}') {
			return nil
		}
		folded := strings.Map(foldRune, name.(string))
		if seen[folded] {
			return fault.New(fault.Invalid, "the member %q is given twice", clip(name.(string)))
		}
		seen[folded] = true
		if _, err := scanValue(d, depth); err != nil {
			return err
		}
	}
}

// foldRune is the smallest of the characters that differ from r by case only: what
// Go's decoder matches names by, so that "ſeatIds" is seatIds as well.
func foldRune(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}

// scanValue reads one value; end is true when it was the closing bracket of an array instead.
func scanValue(d *json.Decoder, depth int) (end bool, err error) {
	token, err := d.Token()
	if err != nil {
		return false, malformed(err)
	}
	switch token {
	case json.Delim(']'):
		return true, nil
	case json.Delim('{'), json.Delim('['):
		if depth >= maxDepth {
			return false, fault.New(fault.Invalid, "the JSON is nested too deeply")
		}
	}
	switch token {
	case json.Delim('{'):
		return false, scanMembers(d, depth+1)
	case json.Delim('['):
		for {
			end, err := scanValue(d, depth+1)
			if end || err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

func malformed(err error) error {
	return fault.Wrap(err, fault.Invalid, "the body is not valid JSON")
}

// clip keeps a quoted piece of input short.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
