package privatepg

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

// TestMain doubles as the process that tests kill: it starts a server on the given folder and waits.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PRIVATEPG_VICTIM"); dir != "" {
		victim(dir, os.Getenv("PRIVATEPG_THROWAWAY") != "")
		return
	}
	goleak.VerifyTestMain(m)
}

func victim(dir string, throwaway bool) {
	s, err := Start(context.Background(), Options{Dir: dir, Throwaway: throwaway})
	if err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	fmt.Println("started", s.PID(), s.guard.command.Process.Pid)
	select {}
}

// kill starts a victim on dir and kills it with SIGKILL, and its guard too when asked.
func kill(t *testing.T, dir string, guardToo, throwaway bool) (server int) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PRIVATEPG_VICTIM="+dir)
	if throwaway {
		command.Env = append(command.Env, "PRIVATEPG_THROWAWAY=1")
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	var guard int
	if _, scanErr := fmt.Sscanf(line, "started %d %d", &server, &guard); err != nil || scanErr != nil {
		t.Fatalf("victim said %q: %v", line, err)
	}
	if guardToo {
		syscall.Kill(guard, syscall.SIGKILL)
	}
	command.Process.Kill()
	command.Wait()
	return server
}

// folder is a short path that an unprivileged user reaches.
func folder(t *testing.T) string {
	t.Helper()
	needServer(t)
	dir, err := os.MkdirTemp("", "pp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "pg")
}

func needServer(t *testing.T) {
	t.Helper()
	if _, err := Find(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

func started(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	return s
}

// ask runs statements and returns the last one's first column.
func ask(t *testing.T, url string, statements ...string) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range statements {
		rows, err := conn.Query(t.Context(), statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		for rows.Next() {
			if values, err := rows.Values(); err == nil {
				answer = fmt.Sprint(values[0])
			}
		}
		if rows.Err() != nil {
			t.Fatalf("%s: %v", statement, rows.Err())
		}
	}
	return answer
}

func TestServerKeepsItsDataAndItsPromises(t *testing.T) {
	dir := folder(t)
	s := started(t, dir)
	url := s.URL(Database)
	ask(t, url, "create table kept (v int8)", "insert into kept values (7)")
	for setting, want := range map[string]string{
		"max_pred_locks_per_transaction": "1024", "fsync": "on", "synchronous_commit": "on", "listen_addresses": "",
	} {
		if got := ask(t, url, "show "+setting); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	if syscall.Kill(s.PID(), 0) != syscall.ESRCH {
		t.Errorf("server %d still runs after Stop", s.PID())
	}
	if got := ask(t, started(t, dir).URL(Database), "select v from kept"); got != "7" {
		t.Errorf("after a restart v = %q", got)
	}
}

func TestRestartKeepsWhatWasCommitted(t *testing.T) {
	dir := folder(t)
	s, err := Start(t.Context(), Options{Dir: dir, Throwaway: true, Settings: map[string]string{"synchronous_commit": "on"}})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, s.URL(Database), "create table kept (v int8)")
	for i, immediate := range []bool{false, true} {
		before := s.PID()
		ask(t, s.URL(Database), fmt.Sprintf("insert into kept values (%d)", i))
		if err := s.Restart(t.Context(), immediate); err != nil {
			t.Fatal(err)
		}
		if got := ask(t, s.URL(Database), "select count(*) from kept"); got != fmt.Sprint(i+1) || s.PID() == before {
			t.Errorf("after restart %d: %s rows, process %d was %d", i, got, s.PID(), before)
		}
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir()); !os.IsNotExist(err) {
		t.Errorf("the folder of a throwaway server is still there: %v", err)
	}
}

func TestOneProgramPerFolder(t *testing.T) {
	dir := folder(t)
	started(t, dir)
	_, err := Start(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("second Start: %v, want ErrLocked naming process %d", err, os.Getpid())
	}
}

func TestReachFindsTheRunningServerOrStartsOne(t *testing.T) {
	dir := folder(t)
	if _, _, err := Reach(t.Context(), Options{Dir: dir}); err == nil {
		t.Error("Reach made a database in a folder that has none")
	}
	s := started(t, dir)
	url, stop, err := Reach(t.Context(), Options{Dir: dir})
	if err != nil || stop != nil || ask(t, url, "select pg_backend_pid() > 0") != "true" {
		t.Fatalf("Reach of a running server: %v", err)
	}
	s.Stop(t.Context())
	url, stop, err = Reach(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, url, "select 1")
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, ok := Running(t.Context(), dir); ok {
		t.Error("the server that Reach started was left running")
	}
}

func TestGuardStopsTheServerOfAKilledProgram(t *testing.T) {
	dir := folder(t)
	pid := kill(t, dir, false, false)
	if !until(t.Context(), 20*time.Second, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH }) {
		t.Fatalf("server %d outlived its program", pid)
	}
	ask(t, started(t, dir).URL(Database), "select 1")
}

func TestThrowawayFolderGoesWithItsProgram(t *testing.T) {
	dir := folder(t)
	kill(t, dir, false, true)
	gone := until(t.Context(), 20*time.Second, func() bool { _, err := os.Stat(dir); return os.IsNotExist(err) })
	if !gone {
		t.Errorf("%s was left behind", dir)
	}
}

func TestStartEndsAnOrphan(t *testing.T) {
	dir := folder(t)
	orphan := kill(t, dir, true, false)
	if syscall.Kill(orphan, 0) != nil {
		t.Fatal("the orphan was meant to live")
	}
	s := started(t, dir)
	if s.PID() == orphan {
		t.Error("the orphan was not replaced")
	}
	ask(t, s.URL(Database), "select 1")
}

func TestStartRecoversAKilledServer(t *testing.T) {
	dir := folder(t)
	s := started(t, dir)
	ask(t, s.URL(Database), "create table kept (v int8)", "insert into kept values (7)")
	syscall.Kill(s.PID(), syscall.SIGKILL)
	until(t.Context(), 10*time.Second, func() bool { return s.exited() != nil })
	s.Stop(t.Context())

	// The pid file survives a kill; let it name a living process that is no server: this one.
	file := filepath.Join(s.data, "postmaster.pid")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(file, []byte(fmt.Sprintf("%d\n%s", os.Getpid(), rest)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, started(t, dir).URL(Database), "select v from kept"); got != "7" {
		t.Errorf("after a crash v = %q", got)
	}
}

func TestStartFinishesAKilledInitdb(t *testing.T) {
	dir := folder(t)
	if err := os.MkdirAll(filepath.Join(dir, "new", "base"), 0o755); err != nil {
		t.Fatal(err)
	}
	ask(t, started(t, dir).URL(Database), "select 1")
}

func TestStartRefusesAFolderOfSomethingElse(t *testing.T) {
	dir := folder(t)
	if err := os.MkdirAll(filepath.Join(dir, "data", "holiday-pictures"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "no database cluster") {
		t.Errorf("Start = %v", err)
	}
}

func TestLongPathsGetAShortSocket(t *testing.T) {
	dir := filepath.Join(folder(t), strings.Repeat("deep/", 20), "pg")
	s := started(t, dir)
	ask(t, s.URL(Database), "select 1")
	if url, ok := Running(t.Context(), dir); !ok || ask(t, url, "select 2") != "2" {
		t.Error("Running does not find the short socket")
	}
	s.Stop(t.Context())
	if _, err := os.Stat(s.socket); !os.IsNotExist(err) {
		t.Errorf("%s was left behind", s.socket)
	}
}

func TestFolderNamesWithOddCharacters(t *testing.T) {
	dir := filepath.Join(folder(t), `my "own" 100% folder+é`)
	s := started(t, dir)
	ask(t, s.URL(Database), "select 1")
	if url, ok := Running(t.Context(), dir); !ok || ask(t, url, "select 2") != "2" {
		t.Error("Running does not find it")
	}
}

func TestFolderThatTheServersUserCannotReach(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root starts servers as another user")
	}
	dir := folder(t)
	closed := filepath.Dir(dir)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	s := started(t, dir)
	t.Cleanup(func() { s.Stop(context.Background()); os.RemoveAll(s.Dir()) })
	if !strings.HasPrefix(s.Dir(), elsewhere) {
		t.Errorf("the server's folder is %s", s.Dir())
	}
	ask(t, s.URL(Database), "select 1")
	if url, ok := Running(t.Context(), dir); !ok || ask(t, url, "select 2") != "2" {
		t.Error("Running does not follow the link")
	}
	link, _ := realLink(dir)
	if of := belongs(s.Dir()); of != link || !led(s.Dir()) {
		t.Errorf("the folder says that it belongs to %q, not %q", of, link)
	}
}

func TestRootContinuesAnotherUsersCluster(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can")
	}
	dir := folder(t)
	started(t, dir).Stop(t.Context())
	const somebody = 54321
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, somebody, somebody))
	})
	if err != nil {
		t.Fatal(err)
	}
	s := started(t, dir)
	ask(t, s.URL(Database), "select 1")
	if info, err := os.Stat(fmt.Sprintf("/proc/%d", s.PID())); err != nil || info.Sys().(*syscall.Stat_t).Uid != somebody {
		t.Errorf("the server does not run as the cluster's owner: %v", err)
	}
}
