package api

func (a *API) holdRoutes() []route { return nil }
