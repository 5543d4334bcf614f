package privatepg

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// port only names the socket: the server does not listen on the network.
const port = "5432"

// maxSocketPath is sun_path without its final zero; the socket's own name is ".s.PGSQL.5432".
const maxSocketPath = 107

// settings are for a laptop that sells a stadium: durable (fsync and
// synchronous_commit stay on), with room in the write-ahead log so that checkpoints are rare.
func (s *Server) settings() map[string]string {
	set := map[string]string{
		"listen_addresses":               "",
		"port":                           port,
		"unix_socket_directories":        s.socket,
		"unix_socket_permissions":        "0700",
		"max_connections":                "200",
		"max_pred_locks_per_transaction": "1024",
		"fsync":                          "on",
		"synchronous_commit":             "on",
		"shared_buffers":                 "256MB",
		"wal_buffers":                    "16MB",
		"min_wal_size":                   "512MB",
		"wal_init_zero":                  "off", // filling a new segment with zeros makes every COMMIT wait, up to 200 ms
		"max_wal_size":                   "2GB",
		"wal_compression":                "off", // costs more than what it saves on the disk of one machine
		"checkpoint_timeout":             "15min",
		"checkpoint_completion_target":   "0.9",
		"random_page_cost":               "1.1",
		"autovacuum_naptime":             "30s",
		"autovacuum_vacuum_cost_delay":   "10ms", // at 1 ms and every 10 s it took a tenth of two cores out of a rush, whose dead rows go without it
		"jit":                            "off",
		"timezone":                       "UTC",
		"log_timezone":                   "UTC",
	}
	if s.opts.Throwaway {
		maps.Copy(set, map[string]string{
			"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off",
			"shared_buffers": "128MB", "min_wal_size": "80MB", "autovacuum_naptime": "60s",
		})
	}
	maps.Copy(set, s.opts.Settings)
	return set
}

func (s *Server) arguments() []string {
	args := []string{"-D", s.data}
	set := s.settings()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		args = append(args, "-c", name+"="+set[name])
	}
	return args
}

// socketFolder is in the server's folder, or, when that path is too long for a
// socket, a private one of the temporary folder; postmaster.pid tells others where.
func (s *Server) socketFolder() (string, error) {
	folder := filepath.Join(s.dir, "run")
	if len(folder)+len("/.s.PGSQL."+port) <= maxSocketPath {
		return folder, s.owner.make(folder)
	}
	folder, err := os.MkdirTemp("", temporaryPrefix)
	if err != nil {
		return "", err
	}
	return folder, s.owner.chown(folder)
}

const temporaryPrefix = "plateia-pg-"

func removeTemporary(folder string) {
	if strings.HasPrefix(filepath.Base(folder), temporaryPrefix) {
		_ = os.RemoveAll(folder)
	}
}

// environment leaves out what would change where or how the server runs.
func environment() []string {
	ours := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "PG") || strings.HasPrefix(entry, "LC_") || strings.HasPrefix(entry, "LANG") ||
			strings.HasPrefix(entry, "MALLOC_")
	})
	return append(ours, allocator...)
}

// allocator keeps glibc from giving memory back after every statement only to fault it in again for
// the next: batches of hundreds of rows spent a tenth of the server's time on that. At most so much stays with a connection.
var allocator = []string{"MALLOC_TRIM_THRESHOLD_=33554432", "MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TOP_PAD_=1048576"}
