package plain

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"

	"plateia/core/fault"
	"plateia/edge/problem"
)

// answer is what the API said.
type answer struct {
	status int
	header http.Header
	body   []byte
	code   fault.Code // of a refusal
}

// ask puts one request to the API, in the fan's name. Nothing of the fan's own request is passed on but the address.
func (v *visit) ask(method, path, bearer string, body any) answer {
	sent, _ := json.Marshal(body) // maps of text
	ctx := v.r.Context()
	req, err := http.NewRequestWithContext(ctx, method, "/", http.NoBody)
	if body != nil {
		req, err = http.NewRequestWithContext(ctx, method, "/", bytes.NewReader(sent))
	}
	if err != nil {
		return answer{status: http.StatusBadRequest}
	}
	req.URL = &url.URL{Path: path}
	req.Host, req.RemoteAddr = v.r.Host, v.r.RemoteAddr
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept-Encoding", "identity")
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	to := &recorder{header: http.Header{}}
	v.serve(to, req)
	a := answer{status: to.status, header: to.header, body: to.body.Bytes()}
	if a.status >= http.StatusBadRequest {
		var p struct {
			Code fault.Code `json:"code"`
		}
		_ = json.Unmarshal(a.body, &p) // not every refusal is ours
		a.code = p.Code
	}
	return a
}

// serve has the API answer. An answer that is cut off in the middle is none.
func (v *visit) serve(to *recorder, req *http.Request) {
	defer func() {
		if cause := recover(); cause != nil {
			if cause != http.ErrAbortHandler { //nolint:errorlint // net/http panics with this very value
				panic(cause)
			}
			to.status = http.StatusServiceUnavailable
		}
	}()
	v.opts.API.ServeHTTP(to, req)
}

// shown is the status of the page that tells of an answer: a failure behind us is "try again", never our error.
func (a answer) shown() int {
	switch {
	case a.status >= http.StatusInternalServerError, a.status < http.StatusBadRequest:
		return http.StatusServiceUnavailable
	default:
		return a.status
	}
}

func statusOf(f *fault.Error) int {
	if status := problem.Status(f.Code); status < http.StatusInternalServerError {
		return status
	}
	return http.StatusServiceUnavailable
}

// recorder keeps an answer in memory, up to a bound.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

const answerLimit = 1 << 20 // bytes; more is cut off

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
}

func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if room := answerLimit - r.body.Len(); len(b) > room {
		r.body.Write(b[:room])
		return len(b), nil
	}
	return r.body.Write(b)
}
