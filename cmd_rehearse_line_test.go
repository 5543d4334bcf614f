package main

import (
	"encoding/json"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// A fan of a rehearsal knows its turn from its ticket and the signed document alone.
func TestAFanReadsTheLineAsAPageDoes(t *testing.T) {
	operator, err := token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := readLine(operator.JWKS())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Truncate(time.Second)
	seed := draw.Digest{7}
	event := id.New() // one in which the fan isn't near the front: who is near looks every two seconds
	for draw.NewRanker(seed, event, 1).Rank("fan") < ^draw.Rank(0)/2 {
		event = id.New()
	}
	d := &frontier.Document{
		Version: 1, Event: event, Epoch: 1, Time: now.UnixMilli(), Phase: frontier.Before, OnSaleAt: now.Add(40 * time.Second), ClaimWindow: 600,
		Poll: frontier.Poll{FloorMS: 1000, CeilingMS: 60_000, Divisor: 20}, Line: frontier.Line{Tiers: []int64{9000}}, Frontiers: frontier.Frontiers{Lottery: make([]draw.Rank, 1)},
	}
	ticket, _, err := operator.MintTicket(account.QueueTicket{Event: event, Epoch: 1, Pseudonym: "fan", Class: account.Lottery, EnteredAt: now, KeyThumb: "k"})
	if err != nil {
		t.Fatal(err)
	}
	turn := func(want string, waiting bool, least, most time.Duration) {
		t.Helper()
		signed, err := d.Sign(operator)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(signed)
		doc, err := reader.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := doc.Turn(ticket, time.UnixMilli(d.Time))
		if err != nil || got.Waiting != waiting || got.Over != want || !got.Lottery || got.Again < least || got.Again > most {
			t.Errorf("in %s: %+v, %v", d.Phase, got, err)
		}
	}
	step := func(after time.Duration, change func(*frontier.Document)) {
		t.Helper()
		if d, err = frontier.Next(d, time.UnixMilli(d.Time).Add(after), change); err != nil {
			t.Fatal(err)
		}
	}
	turn("", true, 43*time.Second, 45*time.Second) // the page knows when the draw is, and does not ask before
	step(41*time.Second, func(d *frontier.Document) { d.Phase = frontier.Drawing })
	turn("", true, time.Second, time.Second) // at the floor, which rises with the crowd
	step(10*time.Second, func(d *frontier.Document) { d.Phase, d.Seed = frontier.Open, &seed })
	rank := draw.NewRanker(seed, event, 1).Rank("fan")
	turn("", true, time.Minute, time.Minute) // nobody knows yet how fast it goes
	for range 3 {
		step(20*time.Second, func(d *frontier.Document) { d.Frontiers.Lottery[0] += rank / 4 })
	}
	turn("", true, time.Second, 2*time.Second) // about twenty seconds more: the floor of the policy
	step(20*time.Second, func(d *frontier.Document) { d.Frontiers.Lottery[0] = rank + 1 })
	turn("", false, 0, 0)
	step(20*time.Second, func(d *frontier.Document) { d.Phase = frontier.Paused })
	turn("", true, time.Second, time.Minute)
	step(20*time.Second, func(d *frontier.Document) { d.Phase = frontier.Ended })
	turn("closed", true, 0, 0)
	d = frontier.Restart(d, now.Add(time.Hour), draw.Digest{1})
	d.Line.Tiers, d.Frontiers.Lottery = []int64{0}, make([]draw.Rank, 1)
	turn("restarted", true, 0, 0)

	stranger, _ := token.New(token.Options{Current: append(make([]byte, 31), 1), PseudonymKey: make([]byte, 32)})
	signed, _ := d.Sign(stranger)
	text, _ := json.Marshal(signed)
	if _, err := reader.Read(text); err == nil {
		t.Error("somebody else's document is believed")
	}
}
