package inventory

import (
	"plateia/core/notice"
	"plateia/core/order"
)

// String is the state as the HTTP answers name it.
func (s HoldState) String() string {
	switch s {
	case HoldActive:
		return "ACTIVE"
	case HoldPaying:
		return "PAYING"
	case HoldConverted:
		return "CONVERTED"
	case HoldReleased:
		return "RELEASED"
	case HoldExpired:
		return "EXPIRED"
	}
	return "UNKNOWN"
}

// tell has the owners of the holds and orders of a committed batch hear of it. An order that ended with a hold
// and was not loaded is not among them: the hold's news says as much.
func (e *engine) tell(c *Changes) {
	if e.opts.Tell == nil || c == nil {
		return
	}
	news := make([]notice.News, 0, len(c.NewHolds)+len(c.UpdatedHolds)+len(c.NewOrders)+len(c.UpdatedOrders))
	for _, holds := range [2][]Hold{c.NewHolds, c.UpdatedHolds} {
		for i := range holds {
			h := &holds[i]
			news = append(news, notice.News{
				Account: h.Account, About: notice.Hold, ID: h.ID, State: h.State.String(), ExpiresAt: h.ExpiresAt, Version: h.Version,
			})
		}
	}
	for _, orders := range [2][]order.Order{c.NewOrders, c.UpdatedOrders} {
		for i := range orders {
			news = append(news, orders[i].News())
		}
	}
	if len(news) > 0 {
		e.opts.Tell(e.event, news)
	}
}
