// Package prefer reads what a client prefers: the weights of Accept, Accept-Encoding and Accept-Language (RFC 9110, 12.4).
package prefer

import (
	"iter"
	"strconv"
	"strings"
)

// Each visits what a header names, in its order, without spaces and as it is spelled, with its weight, 0 to 1.
func Each(header string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for part := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(part, ";")
			if name = strings.TrimSpace(name); name != "" && !yield(name, weight(params)) {
				return
			}
		}
	}
}

// Weight is what a header gives a thing that it names itself: 1 unless it says otherwise, 0 for
// "anything but this". Wildcards are nobody's wish.
func Weight(header, thing string) (q float64, named bool) {
	for name, q := range Each(header) {
		if strings.EqualFold(name, thing) {
			return q, true
		}
	}
	return 0, false
}

// weight is the q parameter, 1 when it is absent and 0 when it is nonsense.
func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, found := strings.Cut(strings.TrimSpace(p), "=")
		if found && strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || !(q >= 0 && q <= 1) { // NaN is neither
				return 0
			}
			return q
		}
	}
	return 1
}
