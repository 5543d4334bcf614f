package api

func (a *API) eventRoutes() []route { return nil }
