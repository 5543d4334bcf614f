package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/partner"
	"plateia/edge/embed"
)

// PartnerDesk is what operators do to the list of partners. Each change is written into the audit in the same transaction.
type PartnerDesk interface {
	All(ctx context.Context) ([]partner.Partner, error) // by name
	Partner(ctx context.Context, which id.ID) (partner.Partner, error)
	Act(ctx context.Context, o partner.Order) (partner.Partner, error)
	Actions(ctx context.Context, before int64, limit int) ([]partner.Action, error) // newest first; before 0: all
}

func (a *API) partnerOpsRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/v1/ops/partners", needs: byOperator, do: a.listPartners},
		{method: http.MethodGet, path: "/v1/ops/partners/:partnerId", needs: byOperator, do: a.showPartner},
		{method: http.MethodPut, path: "/v1/ops/partners/:partnerId", needs: byOperator, do: a.putPartner},
		{method: http.MethodPost, path: "/v1/ops/partners/:partnerId/removal", needs: byOperator, do: a.removePartner},
		{method: http.MethodGet, path: "/v1/ops/partner-actions", needs: byOperator, do: a.partnerActions},
	}
}

// partnerJSON is a partner. In lists the events are only counted.
type partnerJSON struct {
	PartnerID  id.ID            `json:"partnerId"`
	Version    int64            `json:"version"`
	Name       string           `json:"name"`
	Suspended  bool             `json:"suspended"`
	Origins    []partner.Origin `json:"origins"`
	AllEvents  bool             `json:"allEvents"`
	EventCount int              `json:"eventCount"`
	Events     []id.ID          `json:"events,omitempty"`
	CreatedAt  time.Time        `json:"createdAt"`
	ChangedAt  time.Time        `json:"changedAt"`
}

func partnerOf(p partner.Partner) partnerJSON {
	return partnerJSON{
		PartnerID: p.ID, Version: p.Version, Name: p.Name, Suspended: p.Suspended, Origins: p.Origins, AllEvents: p.AllEvents,
		EventCount: len(p.Events), Events: p.Events, CreatedAt: p.CreatedAt, ChangedAt: p.ChangedAt,
	}
}

func (a *API) listPartners(c *call) error {
	all, err := a.PartnerDesk.All(c.ctx)
	if err != nil {
		return err
	}
	out := struct {
		Partners []partnerJSON `json:"partners"`
	}{Partners: make([]partnerJSON, len(all))}
	for i, p := range all {
		out.Partners[i] = partnerOf(p)
		out.Partners[i].Events = nil
	}
	return c.json(http.StatusOK, out)
}

func (a *API) showPartner(c *call) error {
	which, err := c.paramID("partnerId")
	if err != nil {
		return err
	}
	p, err := a.PartnerDesk.Partner(c.ctx, which)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, partnerOf(p))
}

// putPartner makes a partner, or one that is there what the body says. A repeated request changes nothing more.
func (a *API) putPartner(c *call) error {
	var body struct {
		signedOrder
		Version   int64    `json:"version"` // that the change was decided on; 0: a new one
		Name      string   `json:"name"`
		Suspended bool     `json:"suspended"`
		Origins   []string `json:"origins"`
		AllEvents bool     `json:"allEvents"`
		Events    []id.ID  `json:"events"`
	}
	return a.changePartner(c, &body, &body.signedOrder, func(o *partner.Order) error {
		o.Version, o.Suspended, o.AllEvents, o.Events = body.Version, body.Suspended, body.AllEvents, body.Events
		o.Name = strings.TrimSpace(body.Name)
		if err := oneLine(o.Name, "name", partner.MaxName, "a partner has a name"); err != nil {
			return err
		}
		if len(body.Origins) > 2*partner.MaxOrigins { // some may be spellings of the same
			return fault.New(fault.Invalid, "a partner has at most %d origins", partner.MaxOrigins).With("field", "origins")
		}
		for _, text := range body.Origins {
			origin, err := embed.ParseOrigin(text)
			if err != nil {
				return err
			}
			o.Origins = append(o.Origins, origin)
		}
		return nil
	})
}

func (a *API) removePartner(c *call) error {
	var body struct {
		signedOrder
		Version int64 `json:"version"`
	}
	return a.changePartner(c, &body, &body.signedOrder, func(o *partner.Order) error {
		o.Version, o.Remove = body.Version, true
		return nil
	})
}

// changePartner reads an order, carries it out and answers the partner as it became; a removed one as it was.
func (a *API) changePartner(c *call, body any, by *signedOrder, rest func(*partner.Order) error) error {
	which, err := c.paramID("partnerId")
	if err != nil {
		return err
	}
	if err := c.decode(body); err != nil {
		return err
	}
	var o partner.Order
	o.ID = which
	if o.Who, o.Why, err = c.signature(*by); err != nil {
		return err
	}
	if err := rest(&o); err != nil {
		return err
	}
	became, err := a.PartnerDesk.Act(c.ctx, o)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, partnerOf(became))
}

func (a *API) partnerActions(c *call) error {
	before, err := c.actionsBefore()
	if err != nil {
		return err
	}
	all, err := a.PartnerDesk.Actions(c.ctx, before, maxActions+1)
	if err != nil {
		return err
	}
	type line struct {
		actionLine
		PartnerID id.ID        `json:"partnerId"`
		Verb      partner.Verb `json:"verb"`
	}
	out := struct {
		Actions    []line  `json:"actions"`
		NextCursor *string `json:"nextCursor"`
	}{Actions: []line{}}
	if len(all) > maxActions {
		all = slices.Clone(all[:maxActions])
		next := strconv.FormatInt(all[maxActions-1].Seq, 10)
		out.NextCursor = &next
	}
	for _, x := range all {
		out.Actions = append(out.Actions, line{actionLineOf(x.At, x.Who, x.Why, x.Before, x.After), x.Partner, x.Verb})
	}
	return c.json(http.StatusOK, out)
}
