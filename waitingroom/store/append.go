package store

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/fault"
	"plateia/core/id"
)

const (
	maxWaiting = 8192 // writes that wait; the next one is told to come back
	maxBatch   = 512  // writes in one batch; a server takes 1,000
	maxRounds  = 4    // in which those of a batch whose subjects are taken are sorted out
)

// errTaken is the answer to a write whose subject has another last message than expected.
var errTaken = errors.New("store: somebody else was first")

// write is one message that waits for its place in the log.
type write struct {
	ctx    context.Context
	msg    *nats.Msg
	expect uint64 // sequence of the subject's last message; 0: there is none
	done   chan written
	twins  []*write // that came for the same subject meanwhile: somebody was first
}

// answer tells the writer, and its twins.
func (w *write) answer(seq uint64, err error) {
	w.done <- written{seq, err}
	if err == nil {
		err = errTaken
	}
	for _, twin := range w.twins {
		twin.done <- written{err: err}
	}
}

type written struct {
	seq uint64
	err error
}

// add appends a message; it fails with errTaken, or Busy when the log does not answer in time: then
// the message may be in it or not.
func (e *Entries) add(ctx context.Context, msg *nats.Msg, expect uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, AppendWait)
	defer cancel()
	w := &write{ctx: ctx, msg: msg, expect: expect, done: make(chan written, 1)}
	select {
	case e.writes <- w:
	default:
		return 0, fault.New(fault.Busy, "too many people are entering at this moment; try again").After(2 * time.Second)
	}
	select {
	case got := <-w.done:
		return got.seq, got.err
	case <-ctx.Done():
		return 0, busy(ctx.Err())
	case <-e.ended:
		return 0, busy(errors.New("store: stopped"))
	}
}

// busy keeps what is a fault already.
func busy(err error) error {
	var f *fault.Error
	if err == nil || errors.Is(err, errTaken) || errors.As(err, &f) {
		return err
	}
	return fault.Wrap(err, fault.Busy, "entering the line takes too long; try again, your place is safe").After(time.Second)
}

// commit writes what has queued up while the last batch was written, until ctx ends.
func (e *Entries) commit(ctx context.Context) {
	defer close(e.ended)
	for ctx.Err() == nil {
		e.settle(ctx, e.gather(ctx))
	}
}

// gather waits for the first write and takes everything that is there.
func (e *Entries) gather(ctx context.Context) (batch []*write) {
	bySubject := make(map[string]*write)
	take := func(w *write) {
		if w.ctx.Err() != nil { // nobody waits for it any more
			return
		}
		if first := bySubject[w.msg.Subject]; first != nil {
			first.twins = append(first.twins, w)
			return
		}
		bySubject[w.msg.Subject] = w
		batch = append(batch, w)
	}
	select {
	case <-ctx.Done():
		return nil
	case w := <-e.writes:
		take(w)
	}
	for len(batch) < maxBatch {
		select {
		case w := <-e.writes:
			take(w)
		default:
			return batch
		}
	}
	return batch
}

// settle gives every write of a batch its answer. A batch is in the log as a whole or not at all; when a subject in
// it is taken, those that are taken are found and answered, and the others go again.
func (e *Entries) settle(ctx context.Context, batch []*write) {
	var err error
	for range maxRounds {
		if len(batch) == 0 {
			return
		}
		var last uint64
		if last, err = e.publish(ctx, batch); err == nil {
			for i, w := range batch {
				w.answer(last-uint64(len(batch)-1-i), nil)
			}
			return
		}
		if !errors.Is(err, errTaken) {
			break
		}
		if len(batch) == 1 {
			batch[0].answer(0, errTaken)
			return
		}
		if batch, err = e.free(ctx, batch); err != nil {
			break
		}
	}
	for _, w := range batch {
		w.answer(0, busy(err))
	}
}

// free answers the writes whose subjects are taken and returns the others.
func (e *Entries) free(ctx context.Context, batch []*write) ([]*write, error) {
	ctx, cancel := context.WithTimeout(ctx, AppendWait)
	defer cancel()
	lasts, failed := make([]uint64, len(batch)), make([]error, len(batch))
	var all sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i, w := range batch {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			msg, err := e.last(ctx, w.msg.Subject)
			if failed[i] = err; msg != nil {
				lasts[i] = msg.Sequence
			}
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return batch, err
	}
	var rest []*write
	for i, w := range batch {
		if lasts[i] == w.expect {
			rest = append(rest, w)
		} else {
			w.answer(0, errTaken)
		}
	}
	return rest, nil
}

// publish sends one batch and returns the sequence of its last message; the others' are those before it.
func (e *Entries) publish(ctx context.Context, batch []*write) (last uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, AppendWait)
	defer cancel()
	if _, err := e.open(ctx); err != nil {
		return 0, err
	}
	name := id.New().String()
	for i, w := range batch {
		msg := nats.NewMsg(w.msg.Subject)
		msg.Data = w.msg.Data
		for key, values := range w.msg.Header {
			msg.Header[key] = values
		}
		msg.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(w.expect, 10))
		if len(batch) > 1 {
			msg.Header.Set("Nats-Batch-Id", name)
			msg.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
		}
		if i < len(batch)-1 {
			if err := e.js.Conn().PublishMsg(msg); err != nil {
				return 0, err
			}
			continue
		}
		if len(batch) > 1 {
			msg.Header.Set("Nats-Batch-Commit", "1")
		}
		answer, err := e.js.Conn().RequestMsgWithContext(ctx, msg)
		if err != nil {
			return 0, e.gone(err)
		}
		return readAck(answer.Data)
	}
	return 0, errors.New("store: an empty batch")
}

func readAck(data []byte) (uint64, error) {
	var ack struct {
		Sequence uint64              `json:"seq"`
		Error    *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(data, &ack); err != nil {
		return 0, err
	}
	if ack.Error == nil {
		return ack.Sequence, nil
	}
	switch ack.Error.ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return 0, errTaken
	}
	return 0, ack.Error
}
