package door

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

const window = 10 * time.Minute

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestNext(t *testing.T) {
	for name, tt := range map[string]struct {
		line  queue.Line
		limit int
		want  int64
	}{
		"nobody":                       {queue.Line{}, 10, 0},
		"room for all":                 {queue.Line{Entered: 7}, 10, 7},
		"room for some":                {queue.Line{Entered: 70}, 10, 10},
		"those called take room":       {queue.Line{Entered: 70, Frontier: 10, Called: 4, Inside: 3}, 10, 13},
		"full":                         {queue.Line{Entered: 70, Frontier: 10, Inside: 10}, 10, 10},
		"over-full never moves back":   {queue.Line{Entered: 70, Frontier: 20, Inside: 15}, 10, 20},
		"a smaller limit never either": {queue.Line{Entered: 70, Frontier: 20, Called: 20}, 5, 20},
	} {
		if got := next(tt.line, tt.limit); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestNextNeverOvershootsNorMovesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entered := rapid.Int64Range(0, 1000).Draw(t, "entered")
		l := queue.Line{
			Entered: entered, Frontier: rapid.Int64Range(0, entered).Draw(t, "frontier"),
			Inside: rapid.Int64Range(0, 200).Draw(t, "inside"), Called: rapid.Int64Range(0, 200).Draw(t, "called"),
		}
		limit := rapid.IntRange(0, 200).Draw(t, "limit")
		to := next(l, limit)
		if to < l.Frontier || to > l.Entered {
			t.Fatalf("frontier %d → %d of %d", l.Frontier, to, l.Entered)
		}
		if newly := to - l.Frontier; newly > 0 && l.Inside+l.Called+newly > int64(limit) {
			t.Fatalf("%d let in on top of %d: limit %d", newly, l.Inside+l.Called, limit)
		}
		if to < l.Entered && l.Inside+l.Called < int64(limit) && l.Inside+l.Called+to-l.Frontier != int64(limit) {
			t.Fatal("there is room and somebody waits")
		}
	})
}

func TestMeaning(t *testing.T) {
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	for name, tt := range map[string]struct {
		spot queue.Spot
		want account.QueueStatus
	}{
		"waiting":           {queue.Spot{}, account.QueueWaiting},
		"called":            {queue.Spot{CalledAt: ago(9 * time.Minute)}, account.QueueAdmitted},
		"missed":            {queue.Spot{CalledAt: ago(10 * time.Minute)}, account.QueueExpired},
		"inside":            {queue.Spot{CalledAt: ago(time.Hour), ClaimedAt: ago(time.Hour)}, account.QueueAdmitted},
		"inside, then gone": {queue.Spot{CalledAt: ago(time.Minute), ClaimedAt: ago(time.Minute), LeftAt: noon}, account.QueueExpired},
	} {
		if got := meaning(tt.spot, noon, window); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestEntering(t *testing.T) {
	waiting := queue.Spot{Position: 5, KeyThumb: "a", BoundAt: noon.Add(-time.Hour)}
	missed := waiting
	missed.CalledAt = noon.Add(-window)
	newer, older := account.Session{IssuedAt: noon.Add(-time.Minute)}, account.Session{IssuedAt: noon.Add(-2 * time.Hour)}
	for name, tt := range map[string]struct {
		spot *queue.Spot
		who  account.Session
		key  string
		move queue.Move
		code fault.Code
	}{
		"first time":                        {nil, older, "a", queue.Join, ""},
		"again":                             {&waiting, older, "a", queue.Keep, ""},
		"another device, old sign-in":       {&waiting, older, "b", queue.Keep, fault.Forbidden},
		"another device, fresh sign-in":     {&waiting, newer, "b", queue.Rebind, ""},
		"missed the turn":                   {&missed, older, "a", queue.Join, ""},
		"missed the turn, another device":   {&missed, older, "b", queue.Join, ""},
		"same device after a new sign-in":   {&waiting, newer, "a", queue.Keep, ""},
		"another device before the sign-in": {&waiting, account.Session{IssuedAt: waiting.BoundAt}, "b", queue.Keep, fault.Forbidden},
	} {
		step, err := entering(tt.spot, noon, window, tt.who, tt.key)
		if step.Move != tt.move || fault.CodeOf(err) != tt.code {
			t.Errorf("%s: %v %v", name, step, err)
		}
		if step.Move != queue.Keep && step.KeyThumb != tt.key {
			t.Errorf("%s: bound to %q", name, step.KeyThumb)
		}
	}
}

func TestClaiming(t *testing.T) {
	ticket := account.QueueTicket{Position: 5, KeyThumb: "a"}
	live := id.New()
	called := queue.Spot{Position: 5, KeyThumb: "a", CalledAt: noon.Add(-time.Minute)}
	with := func(change func(*queue.Spot)) queue.Spot { s := called; change(&s); return s }
	room := queue.Line{Now: noon, Frontier: 5, Inside: 3}
	for name, tt := range map[string]struct {
		spot queue.Spot
		line queue.Line
		code fault.Code
		same bool // keeps the session
	}{
		"its turn":                {called, room, "", false},
		"again":                   {with(func(s *queue.Spot) { s.ClaimedAt, s.Session = noon, live }), room, "", true},
		"again when full":         {with(func(s *queue.Spot) { s.ClaimedAt, s.Session = noon, live }), queue.Line{Now: noon, Inside: 99}, "", true},
		"moved to another device": {with(func(s *queue.Spot) { s.ClaimedAt = noon }), queue.Line{Now: noon, Inside: 99}, "", false},
		"no place":                {queue.Spot{}, room, fault.Forbidden, false},
		"an older place's ticket": {with(func(s *queue.Spot) { s.Position = 9 }), room, fault.Forbidden, false},
		"another device's ticket": {with(func(s *queue.Spot) { s.KeyThumb = "b" }), room, fault.Forbidden, false},
		"too early":               {with(func(s *queue.Spot) { s.CalledAt = time.Time{} }), room, fault.Waiting, false},
		"too late":                {with(func(s *queue.Spot) { s.CalledAt = noon.Add(-window) }), room, fault.Forbidden, false},
		"late, but paused":        {with(func(s *queue.Spot) { s.CalledAt = noon.Add(-window) }), queue.Line{Now: noon, PausedAt: noon.Add(-time.Minute)}, "", false},
		"left":                    {with(func(s *queue.Spot) { s.ClaimedAt, s.LeftAt, s.Session = noon, noon, live }), room, fault.Forbidden, false},
		"full":                    {called, queue.Line{Now: noon, Inside: 11}, fault.Waiting, false},
		"two percent over":        {called, queue.Line{Now: noon, Inside: 10}, "", false},
	} {
		session, err := claiming(tt.spot, tt.line, 10, window, ticket)
		if fault.CodeOf(err) != tt.code || (err == nil) == session.IsZero() || (session == live) != tt.same {
			t.Errorf("%s: %v %v", name, session, err)
		}
	}
}

func TestOpenTo(t *testing.T) {
	for name, tt := range map[string]struct {
		event event.Event
		code  fault.Code
	}{
		"on sale":   {event.Event{State: event.OnSale, OnSaleAt: noon}, ""},
		"early":     {event.Event{State: event.OnSale, OnSaleAt: noon.Add(time.Second)}, fault.EventState},
		"scheduled": {event.Event{State: event.Scheduled, OnSaleAt: noon.Add(time.Hour)}, fault.EventState},
		"paused":    {event.Event{State: event.Paused, OnSaleAt: noon}, ""},
		"closed":    {event.Event{State: event.Closed}, fault.EventState},
		"cancelled": {event.Event{State: event.Cancelled}, fault.EventState},
	} {
		if err := openTo(tt.event, noon); fault.CodeOf(err) != tt.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWait(t *testing.T) {
	if w := wait(queue.Line{}, 10); w != nil {
		t.Errorf("nothing moved, yet %v", w)
	}
	if w := wait(queue.Line{Frontier: 600}, 0); w == nil || w.Low != 0 || w.High != time.Second {
		t.Errorf("the first in line: %v", w)
	}
	if w := wait(queue.Line{Frontier: 700, Before: 100}, 1199); w == nil || w.Low != 84*time.Second || w.High != 157*time.Second {
		t.Errorf("two minutes: %+v", w)
	}
	if w := wait(queue.Line{Frontier: 700, Before: 100, PausedAt: noon}, 1199); w != nil {
		t.Errorf("paused, yet %v", w)
	}
}
