package main

import (
	"context"
	"time"

	"plateia/core/id"
	"plateia/db"
	"plateia/db/dbtest"
)

// demoSeed is a database with the events of `plateia dev`, which then finds them as after a restart: making 65,378 seats takes
// most of a start.
var demoSeed = &dbtest.Seed{Fill: func(ctx context.Context, d *db.DB) error { return seedDemo(ctx, db.NewCatalog(d)) }}

// demoTheatre is its small event on sale.
func demoTheatre() id.ID { return demoEvents(time.Now())[1].event.ID }
