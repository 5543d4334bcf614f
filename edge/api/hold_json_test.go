package api

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/seatmap"
)

// texts are what makes JSON differ from plain quotes.
var texts = []string{"", "A", "Balcão & <Ärger>", "two \"words\"", `back\slash`, "tab\tend", "\x7f", "\u2028", "席", "\xff\xfe", "Row 12"}

func text() string           { return texts[rand.IntN(len(texts))] }
func coin() bool             { return rand.IntN(2) == 0 }
func anAmount() money.Amount { return money.Amount{Minor: rand.Int64N(1e9) - 1e6, Currency: text()} }
func aTime() time.Time {
	return time.Unix(rand.Int64N(1<<33), rand.Int64N(3)*rand.Int64N(1e6)*1000).UTC()
}

func anyHold() holdJSON {
	h := holdJSON{
		HoldID: id.New(), EventID: id.New(), State: text(), Seats: []seatJSON{}, ExpiresAt: aTime(), HardExpiresAt: aTime(), ServerTime: aTime(),
		sumJSON: sumJSON{Total: anAmount(), Net: anAmount(), Tax: anAmount(), Lines: []lineJSON{}},
	}
	for range rand.IntN(4) {
		h.Seats = append(h.Seats, seatJSON{
			SeatID: text(), Ordinal: seatmap.Ordinal(rand.IntN(1e6)), Section: text(), Row: text(), Seat: text(), Category: text(),
			Price: anAmount(), Area: coin(),
		})
	}
	for range rand.IntN(4) {
		l := lineJSON{Kind: order.LineKind(text()), Name: text(), Per: order.Per(text()), Rate: rand.IntN(3), Included: coin(), Amount: anAmount()}
		if coin() {
			l.seatNameJSON = &seatNameJSON{SeatID: text(), Section: text(), Row: text(), Seat: text(), Area: coin()}
		}
		h.Lines = append(h.Lines, l)
	}
	if coin() {
		order := id.New()
		h.OrderID = &order
	}
	return h
}

// The document written by hand is the one that encoding/json makes of the shape.
func TestHoldsAreWrittenAsEncodingJSONDoes(t *testing.T) {
	for range 5000 {
		h := anyHold()
		want, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendHold(nil, &h); string(got) != string(want) {
			t.Fatalf("\n%s, want\n%s", got, want)
		}
	}
}

func BenchmarkHold(b *testing.B) {
	h := anyHold()
	b.ReportAllocs()
	for b.Loop() {
		appendHold(make([]byte, 0, 1024), &h)
	}
}
