package main

import (
	"context"
)

func runDev(ctx context.Context, e env, args []string) error    { return nil }
func runServe(ctx context.Context, e env, args []string) error  { return nil }
func runVerify(ctx context.Context, e env, args []string) error { return nil }
func runBench(ctx context.Context, e env, args []string) error  { return nil }
