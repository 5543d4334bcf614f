package privatepg

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A folder elsewhere whose data folder is gone is named, with what it belonged to; one that is used or led to is not, and nobody
// removes either.
func TestLeftoversAreNamedAndRemovedOnlyWhenAsked(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	root, _ = filepath.EvalSymlinks(root)
	home, _ = filepath.EvalSymlinks(home)
	dataFolder := func(name string) string {
		t.Helper()
		dir, link := filepath.Join(root, name), filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "data"), 0o700), os.Symlink(dir, link), os.WriteFile(filepath.Join(dir, "log"), []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := (&Server{opts: Options{Dir: link}, dir: dir}).mark(); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	kept, gone, used := dataFolder("kept"), dataFolder("gone"), dataFolder("used")
	unknown := filepath.Join(root, "unknown") // of a version that wrote nothing down
	if err := errors.Join(os.Mkdir(unknown, 0o700), os.Remove(filepath.Join(home, "gone")), os.Remove(filepath.Join(home, "used"))); err != nil {
		t.Fatal(err)
	}
	held, err := lock(used)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	left, err := leftovers(root)
	if err != nil || len(left) != 2 || left[0].Dir != unknown || left[0].Of != "" || left[1].Dir != gone || left[1].Of != filepath.Join(home, "gone") || left[1].Bytes() < 4 {
		t.Fatalf("%+v, %v", left, err)
	}
	if err := (Left{Dir: kept}).Remove(); err == nil {
		t.Error("a folder that a data folder leads to was removed")
	}
	if err := (Left{Dir: used}).Remove(); !errors.Is(err, ErrLocked) {
		t.Errorf("a folder in use: %v", err)
	}
	if err := left[1].Remove(); err != nil {
		t.Error(err)
	}
	for dir, want := range map[string]bool{kept: true, used: true, unknown: true, gone: false} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", dir, err == nil, want)
		}
	}
	if left, err := leftovers(filepath.Join(root, "nowhere")); err != nil || left != nil {
		t.Errorf("%v, %v", left, err)
	}
}
