package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestNothingPrintsIt(t *testing.T) {
	s := New("hunter2")
	holder := struct {
		Key Text
		Ptr *Text
		own Text
	}{s, &s, s}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n", s)
		fmt.Fprintf(&out, verb+"\n", holder)
		fmt.Fprintf(&out, verb+"\n", &holder)
	}
	fmt.Fprintln(&out, s, holder.Key, []Text{s}, map[string]Text{"a": s}, fmt.Errorf("failed: %v", s))
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "s", s, "holder", holder)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "s", s, "holder", holder)
	if err := json.NewEncoder(&out).Encode(holder); err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{"hunter2", "68756e74657232"} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("the secret leaked:\n%s", out.String())
		}
	}
}

func TestIs(t *testing.T) {
	for _, c := range []struct {
		secret, candidate string
		want              bool
	}{{"a", "a", true}, {"a", "b", false}, {"a", "", false}, {"", "", false}, {"a", "aa", false}} {
		if got := New(c.secret).Is(c.candidate); got != c.want {
			t.Errorf("New(%q).Is(%q) = %v", c.secret, c.candidate, got)
		}
	}
}
