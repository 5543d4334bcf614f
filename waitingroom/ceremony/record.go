package ceremony

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	"strconv"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/audit"
	"plateia/waitingroom/draw"
)

// Archive keeps what the public record holds beside the statements.
type Archive interface {
	// Documents are the signed frontier documents of an epoch that were kept, in order.
	Documents(ctx context.Context, key queue.Key) ([][]byte, error)
	// Admissions lists who was let in in an epoch, by pseudonym, after the one given.
	Admissions(ctx context.Context, key queue.Key, after string, limit int) ([]queue.Admitted, error)
}

// Log is the log of entries.
type Log interface {
	All(ctx context.Context, key queue.Key) iter.Seq2[draw.Entry, error]
}

// Publisher is an Authority with its public keys as a set.
type Publisher interface{ JWKS() []byte }

// Records makes the public records of draws. Safe for concurrent use.
type Records struct {
	chain   Chain
	archive Archive
	log     Log
	keys    Publisher
	slots   chan struct{}
}

const (
	recordsAtOnce  = 2    // written by one process: each reads a whole log
	admissionsPage = 1000 // rows
	recordPause    = 5 * time.Second
)

// NewRecords returns the records of an installation.
func NewRecords(chain Chain, archive Archive, log Log, keys Publisher) *Records {
	return &Records{chain: chain, archive: archive, log: log, keys: keys, slots: make(chan struct{}, recordsAtOnce)}
}

// Statements are an event's statements with the keys they are signed by, as JSON: {"keys": …, "statements": […]}.
// NotFound: there is no line.
func (r *Records) Statements(ctx context.Context, event id.ID) ([]byte, error) {
	signed, _, err := r.signed(ctx, event)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Keys       json.RawMessage `json:"keys"`
		Statements []draw.Signed   `json:"statements"`
	}{r.keys.JWKS(), signed})
}

func (r *Records) signed(ctx context.Context, event id.ID) ([]draw.Signed, []queue.Statement, error) {
	all, err := r.chain.Statements(ctx, event)
	if err != nil {
		return nil, nil, err
	}
	if len(all) == 0 {
		return nil, nil, fault.New(fault.NotFound, "there is no line in front of this event")
	}
	signed, err := signedOf(all)
	return signed, all, err
}

// Write returns a function, to be called once, that writes an event's record (audit.Record) as JSON, however long it is; with the
// entries of those epochs whose log was cut off. NotFound: there is no line; Busy: others read records just now.
func (r *Records) Write(ctx context.Context, event id.ID) (func(context.Context, io.Writer) error, error) {
	signed, all, err := r.signed(ctx, event)
	if err != nil {
		return nil, err
	}
	select {
	case r.slots <- struct{}{}:
	default:
		return nil, fault.New(fault.Busy, "the record of a draw is being read by others; try again").After(recordPause)
	}
	return func(ctx context.Context, w io.Writer) error {
		defer func() { <-r.slots }()
		out := bufio.NewWriterSize(w, 64<<10)
		return (&recorder{r, ctx, out, event}).record(signed, all)
	}, nil
}

// recorder writes one record piece by piece.
type recorder struct {
	*Records
	ctx   context.Context
	out   *bufio.Writer
	event id.ID
}

func (r *recorder) record(signed []draw.Signed, all []queue.Statement) error {
	head, err := json.Marshal(audit.Record{Version: draw.Version, Event: r.event, Keys: r.keys.JWKS(), Statements: signed, Epochs: []audit.Epoch{}})
	if err != nil {
		return err
	}
	r.text(string(head[:len(head)-len("]}")])) // the epochs follow, then what was cut
	var epochs []int64
	cut := map[int64]bool{}
	for _, s := range all {
		if len(epochs) == 0 || epochs[len(epochs)-1] != s.Epoch {
			epochs = append(epochs, s.Epoch)
		}
		cut[s.Epoch] = cut[s.Epoch] || draw.Kind(s.Kind) == draw.CutOffKind
	}
	for i, epoch := range epochs {
		r.comma(i)
		if err := r.epoch(queue.Key{Event: r.event, Epoch: epoch}, cut[epoch]); err != nil {
			return err
		}
	}
	r.text("]}")
	return r.out.Flush()
}

func (r *recorder) epoch(key queue.Key, cut bool) error {
	r.text(`{"epoch":` + strconv.FormatInt(key.Epoch, 10))
	if cut { // before, nobody is to know who is in the lottery
		r.text(`,"entries":[`)
		if err := r.entries(key); err != nil {
			return err
		}
		r.text("]")
	}
	r.text(`,"frontiers":[`)
	documents, err := r.archive.Documents(r.ctx, key)
	if err != nil {
		return err
	}
	for i, d := range documents {
		r.comma(i)
		r.text(string(d))
	}
	r.text(`],"admissions":[`)
	if err := r.admissions(key); err != nil {
		return err
	}
	r.text("]}")
	return nil
}

func (r *recorder) entries(key queue.Key) error {
	n := 0
	for entry, err := range r.log.All(r.ctx, key) {
		if err != nil {
			return err
		}
		if err := r.value(n, entry); err != nil {
			return err
		}
		n++
	}
	return nil
}

func (r *recorder) admissions(key queue.Key) error {
	n, after := 0, ""
	for {
		page, err := r.archive.Admissions(r.ctx, key, after, admissionsPage)
		if err != nil {
			return err
		}
		for _, a := range page {
			if err := r.value(n, audit.Admission{Pseudonym: a.Pseudonym, Version: uint64(a.Version)}); err != nil {
				return err
			}
			n, after = n+1, a.Pseudonym
		}
		if len(page) < admissionsPage {
			return nil
		}
	}
}

// value writes the n-th member of a list.
func (r *recorder) value(n int, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	r.comma(n)
	_, err = r.out.Write(text)
	return err
}

func (r *recorder) comma(n int) {
	if n > 0 {
		r.text(",")
	}
}

// text writes what cannot fail but for the writer, which tells it at the end.
func (r *recorder) text(s string) { _, _ = r.out.WriteString(s) }
