package fanoutbench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"plateia/core/inventory"
)

// gatherTime is how long Centrifugo's publisher gathers changes: our widest tick.
const gatherTime = 500 * time.Millisecond

// theirTime is how long Centrifugo gets changes at the rate: its figures are the same after a minute.
const theirTime = 20 * time.Second

// centrifugo is the other contender: a running Centrifugo 6, see centrifugo.json.
func (r *run) centrifugo(ctx context.Context) (*contender, error) {
	base, err := url.Parse(r.o.Centrifugo)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("fanoutbench: %q is not the URL of a Centrifugo", r.o.Centrifugo)
	}
	s := &centrifugoServer{base: strings.TrimSuffix(r.o.Centrifugo, "/"), client: &http.Client{Timeout: 20 * time.Second}}
	c := &contender{run: r, name: centrifugo, sale: newSale(r.o.newEvents()), targets: []string{base.Host}, publish: s.publish, gather: gatherTime, atMost: theirTime, meter: s.usage}
	if _, err := c.meter(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

type centrifugoServer struct {
	base   string
	client *http.Client
}

// seatsMessage is what a page would be sent: the changes of an event as ordinal, status, ordinal, status, …
type seatsMessage struct {
	At    int64 `json:"at"` // Unix ms of the oldest change
	Seats []int `json:"seats"`
}

func (s *centrifugoServer) publish(ctx context.Context, d inventory.Delta, _ []byte) error {
	m := seatsMessage{At: d.At.UnixMilli()}
	for _, c := range d.Changes {
		m.Seats = append(m.Seats, int(c.Ordinal), int(c.Status))
	}
	body, err := json.Marshal(map[string]any{"channel": d.Event.String(), "data": m})
	if err != nil {
		return fmt.Errorf("fanoutbench: %w", err)
	}
	_, err = s.call(ctx, http.MethodPost, "/api/publish", body)
	return err
}

func (s *centrifugoServer) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("fanoutbench: centrifugo: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fanoutbench: centrifugo: %w", err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	if err == nil && (resp.StatusCode != http.StatusOK || bytes.HasPrefix(got, []byte(`{"error"`))) {
		err = fmt.Errorf("%s: %.200s", resp.Status, got)
	}
	if err != nil {
		return nil, fmt.Errorf("fanoutbench: centrifugo %s: %w", path, err)
	}
	return got, nil
}

// usage reads the server's own account of its memory and processor time.
func (s *centrifugoServer) usage(ctx context.Context) (u usage, err error) {
	got, err := s.call(ctx, http.MethodGet, "/metrics", nil)
	if err != nil {
		return u, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(got)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue
		}
		switch name {
		case "process_resident_memory_bytes":
			u.RSS = int64(number)
		case "process_cpu_seconds_total":
			u.CPU = time.Duration(number * float64(time.Second))
		}
	}
	if u.RSS == 0 {
		return u, fmt.Errorf("fanoutbench: centrifugo: /metrics does not tell its memory; start it with prometheus.enabled")
	}
	return u, nil
}
