package natsd

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/secret"
)

func startCluster(t *testing.T, o ClusterOptions) *Cluster {
	t.Helper()
	o.Dir = t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c, err := StartCluster(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Stop(context.Background()) })
	return c
}

func dial(t *testing.T, url string, options ...nats.Option) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(url, append(options, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// eventually asks again until a condition holds: clusters settle when they like.
func eventually(t *testing.T, what string, ok func(ctx context.Context) error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err = ok(ctx)
		cancel()
		if err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

// leader waits until a server leads the stream T.
func leader(t *testing.T, c *Cluster) (i int) {
	t.Helper()
	eventually(t, "somebody leads", func(context.Context) error {
		if i = c.Leader("T"); i < 0 {
			return errors.New("nobody")
		}
		return nil
	})
	return i
}

func TestClusterKeepsMessagesWithoutOneServer(t *testing.T) {
	c := startCluster(t, ClusterOptions{Name: "east", Server: Options{User: "plateia", Password: secret.New("open")}})
	if conn, err := nats.Connect(c.URL(), nats.NoReconnect()); err == nil {
		conn.Close()
		t.Error("a stranger connected")
	}
	js := dial(t, c.URL(), nats.UserInfo("plateia", "open"))
	eventually(t, "a stream of three replicas", func(ctx context.Context) error {
		_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "T", Subjects: []string{"t.*"}, Replicas: 3})
		return err
	})
	if _, err := js.Publish(t.Context(), "t.x", []byte("one")); err != nil {
		t.Fatal(err)
	}
	first := leader(t, c)
	if err := c.StopOne(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	eventually(t, "published with one server gone", func(ctx context.Context) error {
		_, err := js.Publish(ctx, "t.x", []byte("two"), jetstream.WithMsgID("two"))
		return err
	})
	if now := leader(t, c); now == first {
		t.Errorf("the leader is %d, who was stopped", now)
	}
	if err := c.Start(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the leader moves", func(context.Context) error {
		was := c.Leader("T")
		if was < 0 {
			return errors.New("no leader")
		}
		if err := c.MoveLeader("T"); err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
		if c.Leader("T") == was {
			return errors.New("not yet")
		}
		return nil
	})
	eventually(t, "both messages", func(ctx context.Context) error {
		s, err := js.Stream(ctx, "T")
		if err == nil && s.CachedInfo().State.Msgs != 2 {
			err = errors.New("not two")
		}
		return err
	})
}

// Two clusters with domains of their own, joined by leaf nodes: one sources the other's stream.
func TestLeavesJoinClustersOfDifferentDomains(t *testing.T) {
	west := startCluster(t, ClusterOptions{Name: "west", Size: 1, Leaves: Leaves{Listen: "127.0.0.1:0"}, Server: Options{Domain: "west"}})
	east := startCluster(t, ClusterOptions{Name: "east", Size: 1, Leaves: Leaves{Dial: west.LeafAddrs()}, Server: Options{Domain: "east"}})
	there, here := dial(t, west.URL()), dial(t, east.URL())
	if _, err := there.CreateStream(t.Context(), jetstream.StreamConfig{Name: "T", Subjects: []string{"west.*"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := there.Publish(t.Context(), "west.x", []byte("seat")); err != nil {
		t.Fatal(err)
	}
	all, err := here.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ALL", Sources: []*jetstream.StreamSource{{Name: "T", Domain: "west"}}})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the message of the other cluster", func(ctx context.Context) error {
		msg, err := all.GetMsg(ctx, 1)
		if err == nil && msg.Subject != "west.x" {
			err = errors.New(msg.Subject)
		}
		return err
	})
}

// Whoever asks for ports before listening at any is never told the same one twice, in this process or another.
func TestFreePortsAreReserved(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no reservations here")
	}
	given := map[string]bool{}
	for range 150 { // of 12,000: two alike with a chance of three in five if they were not
		address, err := FreeAddr()
		if err != nil || given[address] {
			t.Fatalf("%s again, or %v", address, err)
		}
		given[address] = true
	}
}
