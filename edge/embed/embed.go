// Package embed is how the list of partners travels: the public document of one event, and the whole list from the API to edges that
// run without a database.
package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"plateia/core/id"
	"plateia/core/partner"
)

// How long answers may be kept. A change must be in force everywhere within ten seconds, so a document is young.
const (
	CacheDocument = "public, max-age=5"
	CacheList     = "no-cache"
)

// ListPath is where an API tells edges the whole list.
const ListPath = "/v1/partners"

// maxList is the most bytes of the list: 50,000 listed events of 39 bytes and 20,000 origins of 273 are 7.4 MB.
const maxList = 16 << 20

// Document is GET /v1/events/{id}/embed: the origins whose pages may show the event.
func Document(origins []partner.Origin) []byte {
	if origins == nil {
		origins = []partner.Origin{}
	}
	out, _ := json.Marshal(struct { // strings do not fail
		Origins []partner.Origin `json:"origins"`
	}{origins})
	return out
}

// list is the whole list on its way.
type list struct {
	Version string  `json:"version"`
	Grants  []grant `json:"grants"`
}

type grant struct {
	Origins   []partner.Origin `json:"origins"`
	AllEvents bool             `json:"allEvents"`
	Events    []id.ID          `json:"events"`
}

// Encode writes the list as it is sent to edges.
func Encode(version string, grants []partner.Grant) []byte {
	out := list{Version: version, Grants: make([]grant, len(grants))}
	for i, g := range grants {
		out.Grants[i] = grant(g)
	}
	text, _ := json.Marshal(out) // strings and ids do not fail
	return text
}

// Decode reads a list. Every origin in it must be in its one form: what another program has written decides who may frame our pages.
func Decode(text []byte) (version string, grants []partner.Grant, err error) {
	var in list
	if err := json.Unmarshal(text, &in); err != nil {
		return "", nil, fmt.Errorf("embed: the list of partners is not JSON: %w", err)
	}
	if in.Version == "" {
		return "", nil, errors.New("embed: a list of partners without a version")
	}
	for _, g := range in.Grants {
		for _, o := range g.Origins {
			if same, err := partner.ParseOrigin(string(o)); err != nil || same != o {
				return "", nil, fmt.Errorf("embed: %q is no origin in its one form", o)
			}
		}
		grants = append(grants, partner.Grant(g))
	}
	return in.Version, grants, nil
}

// askTimeout is how long one API may take to tell the list.
const askTimeout = 2 * time.Second

// Follow is the source of an edge without a database: the first of the APIs that answers. The list's version is the ETag.
func Follow(client *http.Client, apis []*url.URL) partner.Source {
	return func(ctx context.Context, have string) (version string, grants []partner.Grant, unchanged bool, err error) {
		err = errors.New("embed: no API to ask")
		for _, api := range apis {
			if version, grants, unchanged, err = ask(ctx, client, api.JoinPath(ListPath).String(), have); err == nil {
				break
			}
		}
		return version, grants, unchanged, err
	}
}

func ask(ctx context.Context, client *http.Client, address, have string) (version string, grants []partner.Grant, unchanged bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", nil, false, err
	}
	if have != "" {
		req.Header.Set("If-None-Match", `"`+have+`"`)
	}
	res, err := client.Do(req)
	if err != nil {
		return "", nil, false, err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusNotModified:
		return have, nil, true, nil
	case http.StatusOK:
	default:
		return "", nil, false, fmt.Errorf("embed: %s answers %s", address, res.Status)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxList+1))
	if err == nil && len(body) > maxList {
		err = errors.New("embed: the list of partners is too long")
	}
	if err != nil {
		return "", nil, false, err
	}
	version, grants, err = Decode(body)
	return version, grants, false, err
}
