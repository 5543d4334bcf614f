package sandbox

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/secret"
)

func TestSignatures(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	body := []byte(`{"id":"evt_1","data":{"reference":"pi_1","status":"CAPTURED"},"new":{"field":[1]}}`)
	newer, older, wrong := secret.New("newer"), secret.New("older"), secret.New("wrong")
	at := func(d time.Duration, keys ...secret.Text) string { return sign(keys, now.Add(d), body) }
	good := at(0, newer)
	cases := map[string]struct {
		header string
		body   []byte
		want   error
	}{
		"good":                       {good, body, nil},
		"spaces after commas":        {strings.ReplaceAll(good, ",", ", "), body, nil},
		"299 s old":                  {at(-299*time.Second, newer), body, nil},
		"301 s old":                  {at(-301*time.Second, newer), body, errSignatureTime},
		"299 s ahead":                {at(299*time.Second, newer), body, nil},
		"301 s ahead":                {at(301*time.Second, newer), body, errSignatureTime},
		"two v1, second ours":        {at(0, wrong, newer), body, nil},
		"two v1, first ours":         {at(0, newer, wrong), body, nil},
		"two v1, none ours":          {at(0, wrong, secret.New("else")), body, errSignatureWrong},
		"signed with the old secret": {at(0, older), body, nil},
		"only v0":                    {strings.ReplaceAll(good, "v1=", "v0="), body, errSignatureMalformed},
		"v0 beside v1":               {good + ",v0=00", body, nil},
		"wrong secret":               {at(0, wrong), body, errSignatureWrong},
		"empty secret":               {at(0, secret.New("")), body, errSignatureWrong},
		"body re-serialised":         {good, bytes.ReplaceAll(body, []byte(","), []byte(", ")), errSignatureWrong},
		"body cut":                   {good, body[:len(body)-1], errSignatureWrong},
		"no header":                  {"", body, errSignatureMissing},
		"no time":                    {good[strings.Index(good, ",")+1:], body, errSignatureMalformed},
		"two times":                  {"t=1," + good, body, errSignatureMalformed},
		"time moved":                 {strings.Replace(good, "t=1800000000", "t=1800000001", 1), body, errSignatureWrong},
		"time is text":               {"t=now,v1=00", body, errSignatureMalformed},
		"not hex":                    {"t=1800000000,v1=zz", body, errSignatureMalformed},
		"cut signature":              {good[:len(good)-2], body, errSignatureWrong},
		"many candidates":            {"t=1800000000" + strings.Repeat(",v1=00", maxCandidates+1), body, errSignatureMalformed},
		"huge header":                {good + strings.Repeat(",a=b", maxSignature), body, errSignatureMalformed},
	}
	p := NewProvider(ProviderOptions{Secrets: Secrets{Webhook: []secret.Text{newer, older, secret.New("")}}, Clock: func() time.Time { return now }})
	for name, c := range cases {
		if err := verify(p.opts.Secrets.Webhook, c.header, c.body, now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		events, err := p.VerifyWebhook(http.Header{signatureHeader: {c.header}}, c.body)
		if (c.want == nil) != (err == nil) || c.want != nil && (fault.CodeOf(err) != fault.Unauthenticated || events != nil) {
			t.Errorf("%s: VerifyWebhook = %v, %v", name, events, err)
		}
	}
}

func TestSignedNonsenseIsNotAnEvent(t *testing.T) {
	p := NewProvider(ProviderOptions{Secrets: testSecrets})
	for _, body := range []string{"", "{}", "[]", `{"id":"evt_1"}`, `{"id":"e","data":{"reference":"pi","order":"not-a-uuid"}}`} {
		header := http.Header{signatureHeader: {sign(testSecrets.Webhook, time.Now(), []byte(body))}}
		if _, err := p.VerifyWebhook(header, []byte(body)); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func FuzzSignature(f *testing.F) {
	now := time.Unix(1_800_000_000, 0)
	keys := []secret.Text{secret.New("s")}
	body := []byte("{}")
	good := sign(keys, now, body)
	f.Add(good)
	f.Add("t=,v1=")
	f.Fuzz(func(t *testing.T, header string) {
		if verify(keys, header, body, now) == nil && !strings.Contains(strings.ToLower(header), good[len(good)-64:]) {
			t.Fatalf("accepted %q", header)
		}
	})
}
