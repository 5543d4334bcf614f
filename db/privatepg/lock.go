package privatepg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrLocked is returned when another process of this program uses the folder.
var ErrLocked = errors.New("the data folder is in use")

// lock takes the folder for this process. The kernel gives it back when the
// process ends, however it ends; the number in the file is for people.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "plateia.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("privatepg: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(f.Name())
		f.Close()
		return nil, fmt.Errorf("privatepg: %w: process %s runs on %s", ErrLocked, strings.TrimSpace(string(holder)), dir)
	}
	if err := f.Truncate(0); err == nil {
		fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	return f, nil
}
