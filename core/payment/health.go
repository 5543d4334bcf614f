package payment

import "time"

// Health is what a provider's wrapper knows of how calls to it end just now.
// A provider without it counts as healthy.
type Health interface {
	// Healthy reports whether new attempts should go to the provider: calls are
	// answered, be it with refusals.
	Healthy() bool
}

// Healthy reports whether new attempts should go to p.
func Healthy(p Provider) bool {
	h, knows := p.(Health)
	return !knows || h.Healthy()
}

// Report is what one process knows of one provider, on the database's clock.
type Report struct {
	Provider string
	Open     bool      // its breaker is not closed
	OpenedAt time.Time // when it opened
	OKAt     time.Time // the last answer; zero: never
}

// Outlook is the health of providers as all processes together know it.
type Outlook struct {
	Known   map[string]bool // providers somebody reports on
	Down    map[string]bool // nobody reaches them
	Trouble map[string]bool // somebody does not reach them
}

// OutlookOf concludes from the reports of all living processes. A process that does
// not reach a provider is believed until another one has had an answer since: one
// that has not called lately says nothing by having a closed breaker.
func OutlookOf(reports []Report) Outlook {
	o := Outlook{Known: map[string]bool{}, Down: map[string]bool{}, Trouble: map[string]bool{}}
	opened := map[string]time.Time{}
	for _, r := range reports {
		o.Known[r.Provider] = true
		if r.Open {
			o.Trouble[r.Provider], o.Down[r.Provider] = true, true
			if r.OpenedAt.After(opened[r.Provider]) {
				opened[r.Provider] = r.OpenedAt
			}
		}
	}
	for _, r := range reports {
		if !r.Open && r.OKAt.After(opened[r.Provider]) {
			delete(o.Down, r.Provider)
		}
	}
	return o
}

// AllDown reports whether nobody reaches any of these providers; with none named, of all.
// Without any report nothing is known, and nothing is stopped.
func (o Outlook) AllDown(providers []string) bool {
	asked := 0
	for _, name := range providers {
		if o.Known[name] {
			asked++
			if !o.Down[name] {
				return false
			}
		}
	}
	return asked > 0 || len(o.Known) > 0 && len(o.Down) == len(o.Known)
}
