package api

func (a *API) webhookRoutes() []route { return nil }
