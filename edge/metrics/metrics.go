// Package metrics shows the numbers of a process to Prometheus. It is the only
// place that knows the format; the parts keep plain counts and are read when asked.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Kind of a number.
type Kind = prometheus.ValueType

// A Gauge is of now, a Counter only grows.
const (
	Gauge   = prometheus.GaugeValue
	Counter = prometheus.CounterValue
)

// Sample is one number now, or one histogram. Name is in Prometheus form with its unit
// last (plateia_hub_oldest_pending_seconds).
type Sample struct {
	Name, Help string
	Kind       Kind
	Number     float64
	Labels     []Label
	Histogram  *Histogram // instead of Kind and Number
}

// Label is one label of a sample.
type Label struct{ Name, Value string }

// Histogram is how many observations there were, their sum, and how many were at most each bound.
type Histogram struct {
	Count   uint64
	Sum     float64
	Buckets map[float64]uint64
}

// source adapts a function to a collector whose set of metrics is not known beforehand.
type source func() []Sample

// Describe sends nothing: the collector is unchecked.
func (source) Describe(chan<- *prometheus.Desc) {}

// Collect reads the samples.
func (s source) Collect(out chan<- prometheus.Metric) {
	for _, sample := range s() {
		var labels, values []string
		for _, l := range sample.Labels {
			labels, values = append(labels, l.Name), append(values, l.Value)
		}
		desc := prometheus.NewDesc(sample.Name, sample.Help, labels, nil)
		if h := sample.Histogram; h != nil {
			out <- prometheus.MustNewConstHistogram(desc, h.Count, h.Sum, h.Buckets, values...)
			continue
		}
		out <- prometheus.MustNewConstMetric(desc, sample.Kind, sample.Number, values...)
	}
}

// Handler answers GET /metrics with the samples of now and those of the Go runtime and the process.
func Handler(samples func() []Sample) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), source(memory), source(samples))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
