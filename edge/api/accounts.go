package api

func (a *API) accountRoutes() []route { return nil }
