package api

func (a *API) orderRoutes() []route { return nil }
