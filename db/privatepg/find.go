// Package privatepg runs a PostgreSQL server of one's own: its data in one
// folder, its socket where only its owner reaches it, nothing on the network.
//
// It needs nothing but PostgreSQL's server binaries. It may be started by root
// (the server then runs as an unprivileged user), killed at any moment and started again.
package privatepg

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// ErrNotInstalled is returned when no server binaries of version 15 or newer are found.
var ErrNotInstalled = errors.New("no PostgreSQL server binaries: install PostgreSQL 15 or newer (Debian: apt-get install postgresql)")

const oldestVersion = 15

// Find returns the folder with initdb and postgres: the newest of Debian's
// versioned folders, then Homebrew's and Red Hat's, then wherever PATH leads.
func Find() (string, error) {
	newest, found := 0, ""
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
	} {
		folders, _ := filepath.Glob(pattern) // the patterns are well-formed
		for _, folder := range folders {
			if v := versionIn(folder); v > newest && complete(folder) {
				newest, found = v, folder
			}
		}
	}
	if found == "" {
		found = onPath()
	}
	if found == "" || newest != 0 && newest < oldestVersion {
		return "", ErrNotInstalled
	}
	return found, nil
}

// versionIn reads 15 from ".../15/bin", ".../pgsql-15/bin", ".../postgresql@15/bin".
func versionIn(folder string) int {
	name := filepath.Base(filepath.Dir(folder))
	at := len(name)
	for at > 0 && name[at-1] >= '0' && name[at-1] <= '9' {
		at--
	}
	v, _ := strconv.Atoi(name[at:])
	return v
}

func complete(folder string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			return false
		}
	}
	return true
}

// onPath follows links: distributions link postgres into PATH, but initdb looks for its neighbours.
func onPath() string {
	for _, name := range []string{"initdb", "postgres"} {
		file, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(file); err == nil && complete(filepath.Dir(real)) {
			return filepath.Dir(real)
		}
	}
	return ""
}
