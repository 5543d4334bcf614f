package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plateia/db"
	"plateia/db/dbtest"
)

// The pictures of the demo theatre, kept as an operator does.
func TestChartViewCommand(t *testing.T) {
	d := dbtest.Open(t, demoSeed.URL(t), db.Options{})
	dir := t.TempDir()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 640, 360))); err != nil {
		t.Fatal(err)
	}
	write := func(name string, body []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("view.png", b.Bytes())
	write("page.png", []byte("<!doctype html>"))
	photo, err := os.ReadFile(filepath.Join("core", "seatview", "testdata", "lossy.webp"))
	if err != nil {
		t.Fatal(err)
	}
	write("view.webp", photo)
	for _, step := range []struct {
		args string
		says string // on its way out
		err  string
	}{
		{"set DIR/view.png --section STALLS,BALCONY --reason photographs", "BALCONY: image/png, 640 × 360", ""},
		{"list", "STALLS: image/png", ""},
		{"set DIR/view.webp --section STALLS --reason photographs", "STALLS: image/webp, 320 × 320", ""},
		{"set DIR/page.png --section STALLS --reason slip", "", "no picture"},
		{"set DIR/none.png --section STALLS --reason slip", "", "no such file"},
		{"set DIR/view.png --section NOWHERE --reason slip", "", `no section "NOWHERE"`},
		{"set DIR/view.png --section STALLS", "", "--reason"},
		{"remove --section STALLS --reason blurred --actor Ana", "BALCONY", ""},
		{"actions", "STALLS by Ana: blurred", ""},
	} {
		var out, log bytes.Buffer
		args := append(strings.Fields("view "+strings.ReplaceAll(step.args, "DIR", dir)), "--event", demoTheatre().String(), "--database", d.Pool().Config().ConnString())
		err := runChart(t.Context(), env{&out, &log, func(string) string { return "" }}, args)
		if step.err == "" && err != nil || step.err != "" && (err == nil || !strings.Contains(err.Error(), step.err)) || !strings.Contains(out.String(), step.says) {
			t.Errorf("%s: %v\n%s", step.args, err, out.String())
		}
	}
}
