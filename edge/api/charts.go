package api

import (
	"bytes"
	"compress/gzip"
	"sync"

	"plateia/core/seatmap"
)

// chartForm is one of the four ways a chart is sent.
type chartForm struct{ binary, gzip bool }

func formOf(binary, gzip bool) chartForm { return chartForm{binary, gzip} }

func (f chartForm) contentType() string {
	if f.binary {
		return binary8
	}
	return "application/json"
}

// suffix tells the forms' ETags apart.
func (f chartForm) suffix() string {
	suffix := "-j"
	if f.binary {
		suffix = "-b"
	}
	if f.gzip {
		suffix += "z"
	}
	return suffix
}

// maxRendered is how many rendered charts are kept. The demo stadium is 5 MB as
// JSON, 300 kB of that gzipped and 31 kB as geometry.
const maxRendered = 8

// chartShelf keeps charts as they are sent: immutable, so rendered once.
type chartShelf struct {
	mu   sync.Mutex
	done map[renderedKey][]byte
}

type renderedKey struct {
	chart *seatmap.Chart
	form  chartForm
}

func (s *chartShelf) render(chart *seatmap.Chart, form chartForm) []byte {
	if form == (chartForm{binary: true}) { // the chart keeps that one itself
		return chart.Geometry()
	}
	key := renderedKey{chart, form}
	s.mu.Lock()
	defer s.mu.Unlock() // also keeps a crowd from compressing the same chart together
	if out, ok := s.done[key]; ok {
		return out
	}
	if s.done == nil || len(s.done) >= maxRendered {
		s.done = make(map[renderedKey][]byte)
	}
	out := plainChart(chart, form)
	if form.gzip {
		out = compress(out)
	}
	s.done[key] = out
	return out
}

func plainChart(chart *seatmap.Chart, form chartForm) []byte {
	if form.binary {
		return chart.Geometry()
	}
	return chart.JSON()
}

func compress(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(data) // a bytes.Buffer does not fail
	_ = w.Close()
	return out.Bytes()
}
