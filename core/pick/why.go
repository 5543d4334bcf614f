package pick

import "plateia/core/seatmap"

// Reason says why BestUnder found nothing.
type Reason string

const (
	SoldOut    Reason = "sold_out"   // no seat is free
	Price      Reason = "price"      // none so cheap, or of these categories
	Sections   Reason = "sections"   // none in the sections asked for
	Accessible Reason = "accessible" // no accessible seats like that
	Quantity   Reason = "quantity"   // not so many, or not together
)

// WhyNot explains a BestUnder that found nothing: the first wish without which it would find
// something, of price, sections and accessible; else the first that nothing fits by itself.
func WhyNot(c *seatmap.Chart, free Bitmap, prices []int64, q Query, rules Rules) Reason {
	if free.Count() == 0 {
		return SoldOut
	}
	finds := func(q Query) bool {
		_, found := BestUnder(c, free, prices, q, rules)
		return found
	}
	plain := Query{Quantity: q.Quantity}
	wishes := wishesOf(q)
	for _, wish := range wishes {
		if finds(wish.without) {
			return wish.reason
		}
	}
	if len(wishes) > 1 && finds(plain) {
		for _, wish := range wishes {
			if !finds(wish.alone) {
				return wish.reason
			}
		}
		return wishes[0].reason // together they leave nothing
	}
	if !finds(Query{Quantity: 1}) && !finds(Query{Quantity: 1, Accessible: q.Accessible}) {
		return SoldOut
	}
	return Quantity
}

// wish is one condition of a query.
type wish struct {
	reason         Reason
	without, alone Query
}

func wishesOf(q Query) (wishes []wish) {
	plain := Query{Quantity: q.Quantity}
	if q.MaxPrice != nil || len(q.Categories) > 0 {
		w := wish{Price, q, plain}
		w.without.MaxPrice, w.without.Categories = nil, nil
		w.alone.MaxPrice, w.alone.Categories = q.MaxPrice, q.Categories
		wishes = append(wishes, w)
	}
	if len(q.Sections) > 0 {
		w := wish{Sections, q, plain}
		w.without.Sections, w.alone.Sections = nil, q.Sections
		wishes = append(wishes, w)
	}
	if q.Accessible {
		w := wish{Accessible, q, plain}
		w.without.Accessible, w.alone.Accessible = false, true
		wishes = append(wishes, w)
	}
	return wishes
}

// Places are at most n free places of a general-admission area [from, to): from start on, then from the beginning.
func Places(free Bitmap, from, to, start seatmap.Ordinal, n int) []seatmap.Ordinal {
	places := make([]seatmap.Ordinal, 0, max(0, min(n, int(to-from))))
	take := func(from, to seatmap.Ordinal) {
		for o := free.seek(from, to, 0); o < to && len(places) < n; o = free.seek(o+1, to, 0) {
			places = append(places, o)
		}
	}
	take(start, to)
	take(from, start)
	return places
}
