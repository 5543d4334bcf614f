package main

import (
	"context"
)

func runDev(ctx context.Context, e env, args []string) error      { return nil }
func runServe(ctx context.Context, e env, args []string) error    { return nil }
func runChart(ctx context.Context, e env, args []string) error    { return nil }
func runVerify(ctx context.Context, e env, args []string) error   { return nil }
func runRehearse(ctx context.Context, e env, args []string) error { return nil }
func runBench(ctx context.Context, e env, args []string) error    { return nil }
