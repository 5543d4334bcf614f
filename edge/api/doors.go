package api

func (a *API) doorRoutes() []route { return nil }
