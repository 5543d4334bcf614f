package privatepg

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ofFile names, inside a server's folder that lies elsewhere, the data folder's link that leads to it.
const ofFile = "belongs-to"

// Left is a server's folder outside any data folder to which no data folder leads any more. The data folder may have been removed,
// and the database forgotten; it may also have been moved, or be on a disk that is not there just now. So nobody
// removes it but somebody who was asked.
type Left struct {
	Dir  string
	Of   string    // where the data folder's link was; "": nobody wrote it down
	Used time.Time // when a server last ran there, about
}

// Leftovers lists such folders, those first that have not been used for longest. Folders on which a server runs are not among them.
// Whoever may not look sees none.
func Leftovers() ([]Left, error) { return leftovers(elsewhere) }

func leftovers(root string) ([]Left, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Left
	for _, e := range entries {
		if dir := filepath.Join(root, e.Name()); e.IsDir() && !led(dir) && !inUse(dir) {
			out = append(out, lookAt(dir))
		}
	}
	slices.SortFunc(out, func(a, b Left) int { return a.Used.Compare(b.Used) })
	return out, nil
}

// Remove deletes a leftover. It refuses what is none: ErrLocked when a server runs there, and whatever a data folder leads to.
func (l Left) Remove() error {
	f, err := lock(l.Dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if led(l.Dir) {
		return errors.New("privatepg: " + belongs(l.Dir) + " leads to " + l.Dir + " again")
	}
	return os.RemoveAll(l.Dir)
}

// mark writes down which link leads to a folder that lies elsewhere.
func (s *Server) mark() error {
	link, err := filepath.Abs(s.opts.Dir)
	if err == nil {
		link, err = realLink(link)
	}
	if err != nil || link == s.dir {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, ofFile), []byte(link+"\n"), 0o600)
}

// realLink resolves a path but for its last element.
func realLink(path string) (string, error) {
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

func belongs(dir string) string {
	text, _ := os.ReadFile(filepath.Join(dir, ofFile))
	return strings.TrimSpace(string(text))
}

// led reports whether the link that a folder belongs to still leads there.
func led(dir string) bool {
	of := belongs(dir)
	if of == "" {
		return false
	}
	target, err := filepath.EvalSymlinks(of)
	return err == nil && target == dir
}

// inUse reports whether another process holds the folder's lock.
func inUse(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "plateia.lock"))
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil //nolint:gosec // a descriptor fits
}

func lookAt(dir string) Left {
	l := Left{Dir: dir, Of: belongs(dir)}
	if info, err := os.Stat(filepath.Join(dir, "log")); err == nil {
		l.Used = info.ModTime()
	}
	return l
}

// Bytes is what the folder's files hold.
func (l Left) Bytes() (sum int64) {
	_ = filepath.WalkDir(l.Dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is not counted
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
