package privatepg

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// owner is the user that the server runs as. The zero value is whoever runs this program.
type owner struct {
	uid, gid uint32
	other    bool // not who runs this program
}

// chooseOwner picks an unprivileged user when this program is root, because
// PostgreSQL refuses root: whoever owns the cluster that is there, else the user
// that PostgreSQL's package made, else nobody.
func chooseOwner(data string) (owner, error) {
	if os.Geteuid() != 0 {
		return owner{}, nil
	}
	if info, err := os.Stat(data); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 {
			return owner{uid: stat.Uid, gid: stat.Gid, other: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil || uid == 0 {
			continue
		}
		return owner{uid: uint32(uid), gid: uint32(gid), other: true}, nil
	}
	return owner{}, errors.New("privatepg: PostgreSQL refuses to run as root and there is no user postgres or nobody: run as an ordinary user")
}

// attributes start a process as the owner, in a session of its own: a Ctrl-C in
// the terminal must reach this program only, which stops the server last.
func (o owner) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if o.other {
		attr.Credential = &syscall.Credential{Uid: o.uid, Gid: o.gid}
	}
	return attr
}

func (o owner) chown(path string) error {
	if !o.other {
		return nil
	}
	return os.Chown(path, int(o.uid), int(o.gid))
}

// elsewhere is where folders go that the owner could not reach.
const elsewhere = "/var/lib/plateia"

// home makes the server's folder and returns its real path. Below a folder that
// is closed to the owner (root's home) it becomes a link to a folder of /var/lib/plateia.
func (o owner) home(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real, o.chown(real)
	}
	if target, err := os.Readlink(dir); err == nil { // its target was removed: start over
		return target, o.make(target)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // the server, another user, walks through it
		return "", err
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	real := filepath.Join(parent, filepath.Base(dir))
	if !o.other || o.reaches(parent) {
		return real, o.make(real)
	}
	sum := sha256.Sum256([]byte(real))
	target := filepath.Join(elsewhere, hex.EncodeToString(sum[:6]))
	if err := o.make(target); err != nil {
		return "", err
	}
	return target, os.Symlink(target, real)
}

func (o owner) make(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // the server, another user, walks through it
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("privatepg: %w", err)
	}
	return o.chown(dir)
}

// reaches reports whether the owner may walk down to dir.
func (o owner) reaches(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return false
		}
		bit := os.FileMode(0o001)
		if stat.Uid == o.uid {
			bit = 0o100
		} else if stat.Gid == o.gid {
			bit = 0o010
		}
		if info.Mode()&bit == 0 {
			return false
		}
		if dir == "/" {
			return true
		}
	}
}
