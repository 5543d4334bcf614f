package db_test

import (
	"net"
	"syscall"
	"testing"

	"plateia/db"
	"plateia/db/dbtest"
	"plateia/db/dbtest/wireproxy"
)

func TestEngineSessionsHaveTimeOutsOfTheirOwn(t *testing.T) {
	d := dbtest.New(t)
	store, err := db.OpenInventory(t.Context(), d, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for name, want := range map[string]string{
		"idle_in_transaction_session_timeout": "3s", "lock_timeout": "1s", "statement_timeout": "30s",
	} {
		var got, milliseconds string
		if err := store.Pool().QueryRow(t.Context(), "show "+name).Scan(&got); err != nil {
			t.Fatal(err)
		}
		milliseconds = want[:len(want)-1] + "000" // as CockroachDB says it
		if got != want && got != milliseconds {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// A host that is gone without a word must not be waited for: the kernel gives the line up.
func TestLinesToTheDatabaseGiveUp(t *testing.T) {
	proxy, err := wireproxy.TCP(dbtest.URL(t)) // a private server has no TCP of its own
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	conn, err := dbtest.Open(t, proxy.URL(), db.Options{MaxConns: 1}).Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	raw, err := conn.Conn().PgConn().Conn().(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	const tcpUserTimeout = 18
	for name, option := range map[string][3]int{
		"TCP_USER_TIMEOUT": {syscall.IPPROTO_TCP, tcpUserTimeout, 10_000}, "SO_KEEPALIVE": {syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1},
		"TCP_KEEPIDLE": {syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, 5}, "TCP_KEEPCNT": {syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT, 5},
	} {
		err := raw.Control(func(fd uintptr) {
			if got, err := syscall.GetsockoptInt(int(fd), option[0], option[1]); err != nil || got != option[2] {
				t.Errorf("%s is %d (%v), want %d", name, got, err, option[2])
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
