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

// Sample is one number now. Name is in Prometheus form with its unit last
// (plateia_hub_oldest_pending_seconds); Label and Value are empty or a pair.
type Sample struct {
	Name, Help   string
	Kind         Kind
	Number       float64
	Label, Value string
}

// source adapts a function to a collector whose set of metrics is not known beforehand.
type source func() []Sample

// Describe sends nothing: the collector is unchecked.
func (source) Describe(chan<- *prometheus.Desc) {}

// Collect reads the samples.
func (s source) Collect(out chan<- prometheus.Metric) {
	for _, sample := range s() {
		var labels, values []string
		if sample.Label != "" {
			labels, values = []string{sample.Label}, []string{sample.Value}
		}
		out <- prometheus.MustNewConstMetric(prometheus.NewDesc(sample.Name, sample.Help, labels, nil), sample.Kind, sample.Number, values...)
	}
}

// Handler answers GET /metrics with the samples of now and those of the Go runtime and the process.
func Handler(samples func() []Sample) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), source(memory), source(samples))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
