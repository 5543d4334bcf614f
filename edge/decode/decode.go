// Package decode reads the JSON bodies of requests, strictly and the same way wherever they arrive.
package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"plateia/core/fault"
)

// maxDepth of a JSON body; nothing here nests deeper than three.
const maxDepth = 16

// Object reads one JSON object into v. Refused: anything but one object,
// truncated or trailing input, invalid UTF-8, a member given twice (also in
// another case, because Go's decoder would take either), deep nesting and
// values of another type. Members that v does not know are ignored, so that a
// newer client can talk to an older server.
func Object(body []byte, v any) error {
	text := bytes.TrimSpace(body)
	switch {
	case len(text) == 0:
		return fault.New(fault.Invalid, "the body is empty; a JSON object is expected")
	case !utf8.Valid(body):
		return fault.New(fault.Invalid, "the body is not UTF-8")
	case text[0] != '{':
		return fault.New(fault.Invalid, "the body must be a JSON object")
	}
	err := json.Unmarshal(body, v) // reads it all before it sets anything
	if _, malformed := errors.AsType[*json.SyntaxError](err); malformed {
		return fault.Wrap(err, fault.Invalid, "the body is not valid JSON")
	}
	if err := checkMembers(text); err != nil {
		return err
	}
	if err != nil {
		return Fault(err)
	}
	return nil
}

// Fault is what a value that could not be read means to its sender.
func Fault(err error) *fault.Error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fault.Wrap(err, fault.Invalid, "%s has the wrong type or is out of range", wrong.Field).With("field", wrong.Field)
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return fault.Wrap(err, fault.Invalid, "the body is not the JSON object this route expects")
}

// checkMembers refuses members given twice and deep nesting. The text is valid
// JSON, so that brackets and quotes are all that needs to be looked at: ten times quicker than by tokens.
func checkMembers(text []byte) error {
	var names [maxDepth]map[string]bool // of the objects around, outermost first
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth == maxDepth {
				return fault.New(fault.Invalid, "the JSON is nested too deeply")
			}
			names[depth] = nil
			depth++
		case '}', ']':
			depth--
		case '"':
			end := i + closingQuote(text[i:])
			if depth > 0 && isName(text[end+1:]) {
				if err := noteName(&names[depth-1], text[i:end+1]); err != nil { //nolint:gosec // 1 to maxDepth here
					return err
				}
			}
			i = end
		}
	}
	return nil
}

// closingQuote is where the string ends that begins at quoted[0].
func closingQuote(quoted []byte) int {
	for i := 1; i < len(quoted); i++ {
		switch quoted[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(quoted) - 1 // not in valid JSON
}

// isName reports whether what follows a string makes it the name of a member.
func isName(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

func noteName(seen *map[string]bool, quoted []byte) error {
	name := string(quoted[1 : len(quoted)-1])
	if strings.Contains(name, `\`) {
		if err := json.Unmarshal(quoted, &name); err != nil {
			return Fault(err)
		}
	}
	folded := strings.Map(foldRune, name)
	if (*seen)[folded] {
		return fault.New(fault.Invalid, "the member %q is given twice", Clip(name))
	}
	if *seen == nil {
		*seen = make(map[string]bool)
	}
	(*seen)[folded] = true
	return nil
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

// Clip keeps a quoted piece of input short.
func Clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// IsJSON reports whether a Content-Type is JSON in UTF-8, or absent.
func IsJSON(t string) bool {
	media, params, _ := strings.Cut(strings.ToLower(t), ";")
	media = strings.TrimSpace(media)
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if value = strings.Trim(value, `"`); name == "charset" && value != "utf-8" && value != "us-ascii" {
			return false // JSON is UTF-8; read as anything else it would say something else
		}
	}
	return media == "" || media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}
