package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/edge/rehearse"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// readLine reads waiting rooms' documents with an operator's public keys.
func readLine(keys []byte) (rehearse.LineReader, error) {
	parsed, err := token.ParseJWKS(keys)
	return lineReader{parsed}, err
}

type lineReader struct{ keys token.Keys }

// Read verifies a document.
func (r lineReader) Read(document []byte) (rehearse.LineDocument, error) {
	var signed token.Statement
	if err := json.Unmarshal(document, &signed); err != nil {
		return nil, err
	}
	d, err := frontier.Verify(r.keys, signed)
	if err != nil {
		return nil, err
	}
	return lineDocument{d}, nil
}

type lineDocument struct{ *frontier.Document }

// Version of the document.
func (d lineDocument) Version() uint64 { return d.Document.Version }

const (
	drawTime = 4 * time.Second // from the on-sale instant until a page looks for the draw
	nearWait = 2 * time.Second // between looks of a fan who is near the front, or whose turn has passed, while nobody can say how long it takes
	near     = 500             // places
)

// Turn computes a fan's place from the ticket that the fan holds, and when to look again by the document's poll policy.
func (d lineDocument) Turn(queueToken string, now time.Time) (rehearse.Turn, error) {
	t, err := d.ticket(queueToken)
	if err != nil {
		return rehearse.Turn{}, err
	}
	turn := rehearse.Turn{Waiting: true, Lottery: t.Class == draw.Lottery}
	switch v := d.Gate(t, now); v.State {
	case frontier.MayClaim:
		turn.Waiting = false
	case frontier.Closed, frontier.Restarted, frontier.Foreign:
		turn.Over = string(v.State)
	case frontier.Missed:
		turn.Missed = true
		turn.Again = nearWait
	default:
		turn.Again = d.again(t, now)
	}
	return turn, nil
}

func (d lineDocument) again(t frontier.Ticket, now time.Time) time.Duration {
	ceiling := d.Poll.Delay(0)
	switch place, known := d.Place(t); {
	case d.Phase == frontier.Before:
		return min(ceiling, max(d.OnSaleAt.Add(drawTime).Sub(now), nearWait))
	case d.Seed == nil:
		return d.Poll.Delay(time.Millisecond)
	case known && place.High > 0:
		return d.Poll.Delay(max(place.Low, time.Millisecond)) // 0 would be "not known"
	case known && place.Ahead < near:
		return nearWait
	}
	return ceiling
}

// ticket reads a queue ticket without verifying it: it is the fan's own, and the seed of the draw makes its rank.
func (d lineDocument) ticket(queueToken string) (frontier.Ticket, error) {
	parts := strings.Split(queueToken, ".")
	var c struct {
		Subject string        `json:"sub"`
		Event   id.ID         `json:"event"`
		Epoch   int64         `json:"epoch"`
		Class   account.Class `json:"class"`
		Tier    int           `json:"tier"`
		Issued  float64       `json:"iat"`
	}
	if len(parts) != 3 {
		return frontier.Ticket{}, errors.New("a queue ticket has three parts")
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return frontier.Ticket{}, err
	}
	t := frontier.Ticket{Event: c.Event, Epoch: c.Epoch, Class: c.Class, Tier: c.Tier, Second: int64(c.Issued)}
	if d.Seed != nil {
		t.Rank = draw.NewRanker(*d.Seed, c.Event, c.Epoch).Rank(c.Subject)
	}
	return t, nil
}
