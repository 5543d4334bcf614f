package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"plateia/core/fault"
)

// byTokens says the same as Object, slowly: by the library's own tokens.
func byTokens(body []byte) (accepted bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	if first, err := d.Token(); err != nil || first != json.Delim('{') || !membersByTokens(d, 1) {
		return false
	}
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}

func membersByTokens(d *json.Decoder, depth int) bool {
	seen := map[string]bool{}
	for {
		name, err := d.Token()
		if err != nil {
			return false
		}
		if name == json.Delim('}') {
			return true
		}
		folded := strings.Map(foldRune, name.(string))
		if seen[folded] {
			return false
		}
		seen[folded] = true
		if _, ok := valueByTokens(d, depth); !ok {
			return false
		}
	}
}

func valueByTokens(d *json.Decoder, depth int) (end, ok bool) {
	token, err := d.Token()
	if err != nil || (token == json.Delim('{') || token == json.Delim('[')) && depth >= maxDepth {
		return false, false
	}
	switch token {
	case json.Delim(']'):
		return true, true
	case json.Delim('{'):
		return false, membersByTokens(d, depth+1)
	case json.Delim('['):
		for {
			if end, ok := valueByTokens(d, depth+1); end || !ok {
				return false, ok
			}
		}
	}
	return false, true
}

func FuzzMembers(f *testing.F) {
	nest := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	for _, seed := range []string{
		`{}`, ` {"a" : "b\"c:", "d":{"a":1,"d":[{"a":"x"},{"a":2}]}} `, `{"a":1,"A":2}`, `{"a":1,"\u0061":2}`, `{"s":1,"ſ":2}`, `{"k":1,"\u212a":2}`,
		`{"a":{"b":1},"c":{"b":1}}`, `{"a":[1,"a",{"b":"b"}],"b":":"}`, `{"a":1}}`, `{"a":1} {}`, `{"a"`, `["a"]`, `"a"`, `{"\\":1,"\\\\":2}`, `{"":1,"":2}`,
		nest(maxDepth - 1), nest(maxDepth), nest(maxDepth + 1),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var anything struct{}
		err := Object(body, &anything)
		if want := byTokens(body) && bytes.Equal(bytes.ToValidUTF8(body, nil), body); (err == nil) != want {
			t.Fatalf("%q: %v, by tokens %v", body, err, want)
		}
	})
}

func BenchmarkDecodeHold(b *testing.B) {
	body := []byte(`{"seatIds":["A-12-31","A-12-32"]}`)
	b.ReportAllocs()
	for b.Loop() {
		var r struct {
			SeatIDs []string `json:"seatIds"`
		}
		if err := Object(body, &r); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"name":"a"}`, `{"a":[{"b":1}]}`, `[`, `{"a":1}}`, "{\"\u212a\":1,\"k\":2}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var v struct{ Name string }
		err := Object(body, &v)
		if err == nil && !json.Valid(body) {
			t.Fatalf("accepted %q", body)
		}
		if err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Fatalf("%v for %q", err, body)
		}
	})
}
