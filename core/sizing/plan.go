package sizing

import "math"

// What a plan assumes beside its parameters. The sizes were measured on the demo
// stadium of 65,378 seats, sold out by `plateia rehearse`.
const (
	// RequestsPerVisit is how often one fan asks the origin when nothing stands before
	// it: page data, chart, availability (three times), sign-in, hold, order, payment, ticket.
	RequestsPerVisit = 10
	// MapRequestsPerSecond is how often somebody inside asks for the seats when the
	// live socket is not there: once in the second for which the edge keeps the answer.
	MapRequestsPerSecond = 1
	// StatusKB is one answer about a place in the line, with its headers, kB.
	StatusKB = 0.7
	// MapBytesPerSeat is what somebody let in loads of the map, bytes a seat: geometry
	// 0.30, status 0.25 and every change until the end, at most two a seat of 3 bytes.
	MapBytesPerSeat = 6.55
	// SeatBytes is a seat in the database, its indexes and its ticket included, bytes.
	SeatBytes = 450
	// OrderBytes is an order in the database: account, place in the line, buyer, hold, order, payment attempt, webhook, bytes.
	OrderBytes = 4200
	// SeatMemoryBytes is a seat in the memory of a process that sells or shows it, bytes.
	SeatMemoryBytes = 4.4
)

// Plan is what the on-sale asks for. GB and MB are decimal.
type Plan struct {
	Orders               int64   `json:"orders"`                        // that sell everything, or that all fans together make
	SellsOut             bool    `json:"sellsOut"`                      // false: fewer buyers come than orders are needed
	JoinsPerSecond       float64 `json:"joinsPerSecond"`                // while the fans arrive
	RequestsPerSecond    float64 `json:"requestsPerSecondWithoutQueue"` // at the origin, were there no queue
	PollsPerSecond       float64 `json:"pollsPerSecond"`                // were every waiting page to ask the origin
	AdmitsPerSecond      float64 `json:"admitsPerSecond"`               // Little's law
	Admits               int64   `json:"admits"`                        // fans let in until everything is sold
	Minutes              float64 `json:"minutesToSellOut"`              // until Admits are in, also when it does not sell out
	Inside               float64 `json:"inside"`                        // fans inside at the same time
	OrdersPerSecond      float64 `json:"ordersPerSecond"`               // while fans are let in
	PaymentsInFlight     float64 `json:"paymentsInFlight"`              // Little's law
	MapRequestsPerSecond float64 `json:"mapRequestsPerSecond"`          // at the edge, were there no live sockets
	EdgeGB               float64 `json:"edgeGB"`                        // leaves the edge until everything is sold: the sum of the next three
	EdgePagesGB          float64 `json:"edgePagesGB"`                   // one page a fan
	EdgeStatusGB         float64 `json:"edgeStatusGB"`                  // waiting pages asking for their place
	EdgeMapGB            float64 `json:"edgeMapGB"`                     // maps of those let in
	InventoryMB          float64 `json:"inventoryMB"`                   // in the database when everything is sold
	InventoryMemoryMB    float64 `json:"inventoryMemoryMB"`             // in each process that sells or shows the seats
}

// Make computes the plan of an on-sale. The error is OnSale.Check's.
func Make(o OnSale) (Plan, error) {
	if err := o.Check(); err != nil {
		return Plan{}, err
	}
	p := Plan{
		JoinsPerSecond:    float64(o.Fans) / o.Arrival.Seconds(),
		PollsPerSecond:    float64(o.Fans) / o.Poll.Seconds(),
		InventoryMemoryMB: float64(o.Seats) * SeatMemoryBytes / 1e6,
	}
	p.RequestsPerSecond = p.JoinsPerSecond * RequestsPerVisit
	p.demand(o)
	p.AdmitsPerSecond = min(float64(o.Inside)/o.Checkout.Seconds(), p.JoinsPerSecond)
	p.Minutes = float64(p.Admits) / p.AdmitsPerSecond / 60
	p.Inside = min(p.AdmitsPerSecond*o.Checkout.Seconds(), float64(p.Admits))
	p.OrdersPerSecond = p.AdmitsPerSecond * o.Conversion
	p.PaymentsInFlight = p.OrdersPerSecond * o.ProviderLatency.Seconds()
	p.MapRequestsPerSecond = p.Inside * MapRequestsPerSecond
	p.edge(o)
	p.InventoryMB = (float64(o.Seats)*SeatBytes + float64(p.Orders)*OrderBytes) / 1e6
	return p, nil
}

// demand is how many orders are made and how many fans that takes.
func (p *Plan) demand(o OnSale) {
	needed := ceil(float64(o.Seats) / o.PerOrder)
	buyers := floor(float64(o.Fans) * o.Conversion)
	p.SellsOut = buyers >= needed
	p.Orders = min(needed, buyers)
	p.Admits = o.Fans
	if p.SellsOut {
		p.Admits = min(ceil(float64(p.Orders)/o.Conversion), o.Fans)
	}
}

func (p *Plan) edge(o OnSale) {
	p.EdgePagesGB = float64(o.Fans) * o.PageKB / 1e6
	p.EdgeStatusGB = p.waiting(o) / o.Poll.Seconds() * StatusKB / 1e6
	p.EdgeMapGB = float64(p.Admits) * float64(o.Seats) * MapBytesPerSeat / 1e9
	p.EdgeGB = p.EdgePagesGB + p.EdgeStatusGB + p.EdgeMapGB
}

// waiting is the time all fans together spend in line, fan-seconds: the area between
// those who came and those who were let in, until the last seat is sold.
func (p *Plan) waiting(o OnSale) float64 {
	end, arrival := p.Minutes*60, o.Arrival.Seconds()
	came := float64(o.Fans) * (end - arrival/2)
	if end < arrival {
		came = p.JoinsPerSecond * end * end / 2
	}
	return max(0, came-float64(p.Admits)*end/2)
}

// ceil and floor forgive what binary fractions do to whole results: 3 / 0.6 is 5.
func ceil(v float64) int64  { return int64(math.Ceil(v * (1 - 1e-12))) }
func floor(v float64) int64 { return int64(math.Floor(v * (1 + 1e-12))) }

// Rounded is the plan as it is shown: whole from 100, else three digits.
func (p Plan) Rounded() Plan {
	for _, v := range []*float64{
		&p.JoinsPerSecond, &p.RequestsPerSecond, &p.PollsPerSecond, &p.AdmitsPerSecond, &p.Minutes, &p.Inside,
		&p.OrdersPerSecond, &p.PaymentsInFlight, &p.MapRequestsPerSecond,
		&p.EdgeGB, &p.EdgePagesGB, &p.EdgeStatusGB, &p.EdgeMapGB, &p.InventoryMB, &p.InventoryMemoryMB,
	} {
		*v = round(*v)
	}
	return p
}

func round(v float64) float64 {
	if v <= 0 {
		return 0
	}
	digits := max(0, 2-math.Floor(math.Log10(v)))
	scale := math.Pow(10, digits)
	return math.Round(v*scale) / scale
}
