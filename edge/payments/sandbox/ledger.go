package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// record is one line of the ledger: a new state of an intent, an event to be
// told, or the end of telling it. The last line about a thing is the truth.
type record struct {
	At     time.Time `json:"at"`
	Intent *intent   `json:"intent,omitempty"`
	Event  *event    `json:"event,omitempty"`
	Told   string    `json:"told,omitempty"` // event id: delivered or given up
}

// ledger appends records to a file. Without a file it keeps nothing. A record is
// with the operating system before it counts, so a killed process loses nothing.
type ledger struct{ file *os.File }

// openLedger replays the file through apply and opens it for appending. A last
// line that a crash cut short is dropped; a broken line elsewhere is an error.
func openLedger(path string, apply func(record)) (*ledger, error) {
	if path == "" {
		return &ledger{}, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sandbox: open ledger: %w", err)
	}
	good, err := replay(file, apply)
	if err == nil {
		err = file.Truncate(good)
	}
	if err == nil {
		_, err = file.Seek(good, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: read ledger %s: %w", path, err), file.Close())
	}
	return &ledger{file: file}, nil
}

// replay applies every whole line and returns where the last one ends.
func replay(file io.Reader, apply func(record)) (int64, error) {
	reader := bufio.NewReader(file)
	var good int64
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return good, nil // what is in line was cut short
		}
		if err != nil {
			return good, err
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return good, fmt.Errorf("line %d: %w", number, err)
		}
		apply(r)
		good += int64(len(line))
	}
}

// append writes records in one go.
func (l *ledger) append(records ...record) error {
	if l.file == nil {
		return nil
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, r := range records {
		if err := enc.Encode(r); err != nil {
			return fmt.Errorf("sandbox: encode ledger record: %w", err)
		}
	}
	if _, err := l.file.Write(lines.Bytes()); err != nil {
		return fmt.Errorf("sandbox: append to ledger: %w", err)
	}
	return nil
}

func (l *ledger) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
