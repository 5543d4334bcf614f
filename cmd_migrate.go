package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"plateia/db"
)

// runMigrate brings the schema up to date, or says where it is.
func runMigrate(ctx context.Context, e env, args []string) error {
	if len(args) == 0 || (args[0] != "up" && args[0] != "status") {
		return errUsage{"usage: plateia migrate up|status [--database URL | --data DIR] [--regions eu-west-1,us-east-1,…]"}
	}
	flags := newFlags(e, "migrate "+args[0])
	where := flags.database()
	regionList := flags.String("regions", e.getenv("PLATEIA_REGIONS"),
		"CockroachDB only, with up: comma-separated `regions` to spread the database over, the primary one first (also PLATEIA_REGIONS)")
	if err := flags.parse(args[1:]); err != nil {
		return err
	}
	regions, err := parseRegions(*regionList)
	if err != nil {
		return err
	}
	return where.use(ctx, func(d *db.DB, _ bool) error {
		if args[0] == "status" {
			return migrationStatus(ctx, e, d)
		}
		applied, err := up(ctx, d, regions)
		for _, m := range applied {
			fmt.Fprintf(e.stdout, "applied %s\n", m)
		}
		if err == nil && len(applied) == 0 {
			fmt.Fprintln(e.stdout, "up to date")
		}
		return err
	})
}

func up(ctx context.Context, d *db.DB, regions db.Regions) ([]db.Migration, error) {
	if len(regions) == 0 {
		return d.Up(ctx)
	}
	return d.UpRegions(ctx, regions)
}

func parseRegions(text string) (db.Regions, error) {
	if text == "" {
		return nil, nil
	}
	regions, err := db.ParseRegions(text)
	if err != nil {
		return nil, errUsage{err.Error()}
	}
	return regions, nil
}

func migrationStatus(ctx context.Context, e env, d *db.DB) error {
	all, err := d.Status(ctx)
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, m := range all {
		state := "waiting"
		switch {
		case m.AppliedAt.IsZero() && m.Optional():
			state = "off (migrate up --regions)"
		case !m.AppliedAt.IsZero():
			state = m.AppliedAt.UTC().Format("2006-01-02 15:04:05Z")
		}
		fmt.Fprintf(w, "%s\t%s\n", m, state)
	}
	return errors.Join(err, w.Flush())
}
