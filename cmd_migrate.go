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
		return errUsage{"usage: plateia migrate up|status [--database URL | --data DIR]"}
	}
	flags := newFlags(e, "migrate "+args[0])
	where := flags.database()
	if err := flags.parse(args[1:]); err != nil {
		return err
	}
	return where.use(ctx, func(d *db.DB, _ bool) error {
		if args[0] == "status" {
			return migrationStatus(ctx, e, d)
		}
		applied, err := d.Up(ctx)
		for _, m := range applied {
			fmt.Fprintf(e.stdout, "applied %s\n", m)
		}
		if err == nil && len(applied) == 0 {
			fmt.Fprintln(e.stdout, "up to date")
		}
		return err
	})
}

func migrationStatus(ctx context.Context, e env, d *db.DB) error {
	all, err := d.Status(ctx)
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, m := range all {
		state := "waiting"
		if !m.AppliedAt.IsZero() {
			state = m.AppliedAt.UTC().Format("2006-01-02 15:04:05Z")
		}
		fmt.Fprintf(w, "%s\t%s\n", m, state)
	}
	return errors.Join(err, w.Flush())
}
