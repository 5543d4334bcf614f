package api

func (a *API) ticketRoutes() []route { return nil }
