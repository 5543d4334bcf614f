package sizing

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTheStadium(t *testing.T) {
	p, err := Make(Default())
	if err != nil {
		t.Fatal(err)
	}
	p = p.Rounded()
	for name, c := range map[string]struct{ got, want float64 }{
		"orders":             {float64(p.Orders), 30_000},
		"joins/s":            {p.JoinsPerSecond, 16_667},
		"requests/s":         {p.RequestsPerSecond, 166_667},
		"polls/s":            {p.PollsPerSecond, 200_000},
		"admits/s":           {p.AdmitsPerSecond, 33.3},
		"admits":             {float64(p.Admits), 50_000},
		"minutes":            {p.Minutes, 25},
		"inside":             {p.Inside, 10_000},
		"orders/s":           {p.OrdersPerSecond, 20},
		"payments in flight": {p.PaymentsInFlight, 40},
		"pages GB":           {p.EdgePagesGB, 200},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", name, c.got, c.want)
		}
	}
	if !p.SellsOut {
		t.Error("sells out")
	}
}

func TestTooFewFans(t *testing.T) {
	o := Default()
	o.Fans = 1000
	p, err := Make(o)
	if err != nil {
		t.Fatal(err)
	}
	if p.SellsOut || p.Orders != 600 || p.Admits != 1000 {
		t.Errorf("1,000 fans of whom 0.6 buy: %+v", p)
	}
	if p.AdmitsPerSecond != p.JoinsPerSecond || p.EdgeStatusGB != 0 {
		t.Errorf("nobody waits when the door is wider than the street: %+v", p)
	}
}

func TestNonsenseIsNamed(t *testing.T) {
	bad := OnSale{
		Fans: -1, Seats: 0, Arrival: -time.Second, PerOrder: math.Inf(1), Checkout: 0, Inside: math.MaxInt64,
		Conversion: 1.01, Poll: time.Millisecond, PageKB: math.NaN(), ProviderLatency: 2 * time.Hour,
	}
	_, err := Make(bad)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"fans: -1 is", "seats: 0 is", "arrival: -1 is", "per-order: +Inf is", "checkout: 0 is", "inside: 9,223,372,036,854,775,808 is not",
		"conversion: 1.01 is not between 1e-06 and 1", "poll: 0.001 is", "page-kb: NaN is", "provider-latency: 7,200 is not between 0.001 and 3,600 s",
	} {
		if !strings.Contains(strings.ReplaceAll(err.Error(), "9.223372036854776e+18", "9,223,372,036,854,775,808"), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
	if lines := strings.Count(err.Error(), "\n") + 1; lines != 10 {
		t.Errorf("%d faults named, want 10", lines)
	}
}

// onSales draws anything that passes Check.
func onSales() *rapid.Generator[OnSale] {
	seconds := func(low, top float64) *rapid.Generator[time.Duration] {
		return rapid.Map(rapid.Float64Range(low, top), func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) })
	}
	return rapid.Custom(func(t *rapid.T) OnSale {
		return OnSale{
			Fans:            rapid.Int64Range(1, 10e9).Draw(t, "fans"),
			Seats:           rapid.Int64Range(1, 10e6).Draw(t, "seats"),
			Arrival:         seconds(1, 30*86400).Draw(t, "arrival"),
			PerOrder:        rapid.Float64Range(1, 100).Draw(t, "perOrder"),
			Checkout:        seconds(1, 86400).Draw(t, "checkout"),
			Inside:          rapid.Int64Range(1, 100e6).Draw(t, "inside"),
			Conversion:      rapid.Float64Range(1e-6, 1).Draw(t, "conversion"),
			Poll:            seconds(0.1, 3600).Draw(t, "poll"),
			PageKB:          rapid.Float64Range(0.1, 1e6).Draw(t, "pageKB"),
			ProviderLatency: seconds(0.001, 3600).Draw(t, "latency"),
		}
	})
}

func make2(t *rapid.T, o OnSale) Plan {
	p, err := Make(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever is asked within the bounds has an answer made of numbers, and Little's law holds in it.
func TestEveryPlanIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := onSales().Draw(t, "on-sale")
		p := make2(t, o)
		for i, v := range []float64{
			float64(p.Orders), float64(p.Admits), p.JoinsPerSecond, p.RequestsPerSecond, p.PollsPerSecond, p.AdmitsPerSecond, p.Minutes,
			p.Inside, p.OrdersPerSecond, p.PaymentsInFlight, p.MapRequestsPerSecond, p.EdgeGB, p.EdgePagesGB, p.EdgeStatusGB, p.EdgeMapGB,
			p.InventoryMB, p.InventoryMemoryMB,
		} {
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				t.Fatalf("figure %d is %v", i, v)
			}
		}
		if p.Inside > float64(o.Inside)*(1+1e-9) || p.Admits > o.Fans || p.Admits < p.Orders {
			t.Fatalf("more inside than fit, or more let in than came, or fewer than bought: %+v", p)
		}
		if sold := float64(p.Orders) * o.PerOrder; p.SellsOut && sold < float64(o.Seats)*(1-1e-9) {
			t.Fatalf("%v seats of %d are sold, and it is called sold out", sold, o.Seats)
		}
		if p.PaymentsInFlight > p.OrdersPerSecond*o.ProviderLatency.Seconds()*(1+1e-9) {
			t.Fatal("Little's law at the provider")
		}
	})
}

// notLess compares with room for the last bits of a float.
func notLess(t *rapid.T, what string, more, less float64) {
	if more < less*(1-1e-9) {
		t.Fatalf("%s: %v, and %v before", what, more, less)
	}
}

func TestMoreFansAskForMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := onSales().Draw(t, "on-sale")
		few := make2(t, o)
		o.Fans = rapid.Int64Range(o.Fans, 10e9).Draw(t, "more fans")
		many := make2(t, o)
		notLess(t, "orders", float64(many.Orders), float64(few.Orders))
		notLess(t, "admits", float64(many.Admits), float64(few.Admits))
		notLess(t, "joins/s", many.JoinsPerSecond, few.JoinsPerSecond)
		notLess(t, "requests/s", many.RequestsPerSecond, few.RequestsPerSecond)
		notLess(t, "polls/s", many.PollsPerSecond, few.PollsPerSecond)
		notLess(t, "admits/s", many.AdmitsPerSecond, few.AdmitsPerSecond)
		notLess(t, "orders/s", many.OrdersPerSecond, few.OrdersPerSecond)
		notLess(t, "payments", many.PaymentsInFlight, few.PaymentsInFlight)
		notLess(t, "pages", many.EdgePagesGB, few.EdgePagesGB)
		notLess(t, "inventory", many.InventoryMB, few.InventoryMB)
		if few.SellsOut && !many.SellsOut {
			t.Fatal("more fans, and it no longer sells out")
		}
	})
}

func TestMoreSeatsTakeLonger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := onSales().Draw(t, "on-sale")
		few := make2(t, o)
		o.Seats = rapid.Int64Range(o.Seats, 10e6).Draw(t, "more seats")
		many := make2(t, o)
		notLess(t, "orders", float64(many.Orders), float64(few.Orders))
		notLess(t, "admits", float64(many.Admits), float64(few.Admits))
		notLess(t, "minutes", many.Minutes, few.Minutes)
		notLess(t, "inventory", many.InventoryMB, few.InventoryMB)
		notLess(t, "memory", many.InventoryMemoryMB, few.InventoryMemoryMB)
	})
}

func TestAWiderDoorIsFaster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := onSales().Draw(t, "on-sale")
		narrow := make2(t, o)
		o.Inside = rapid.Int64Range(o.Inside, 100e6).Draw(t, "more inside")
		o.Checkout = time.Duration(rapid.Int64Range(int64(time.Second), int64(o.Checkout)).Draw(t, "shorter checkout"))
		wide := make2(t, o)
		notLess(t, "admits/s", wide.AdmitsPerSecond, narrow.AdmitsPerSecond)
		notLess(t, "orders/s", wide.OrdersPerSecond, narrow.OrdersPerSecond)
		notLess(t, "minutes", narrow.Minutes, wide.Minutes)
		notLess(t, "fan-seconds in line", narrow.waiting(o), wide.waiting(o))
	})
}

func TestRoundingKeepsThreeDigits(t *testing.T) {
	for v, want := range map[float64]float64{
		0: 0, -1: 0, 33.333333: 33.3, 16666.67: 16667, 99.96: 100, 25: 25, 1.2345: 1.23, 0.00012345: 0.000123, 199_999_999.5: 200_000_000,
	} {
		if got := round(v); got != want {
			t.Errorf("round(%v) = %v, want %v", v, got, want)
		}
	}
}
