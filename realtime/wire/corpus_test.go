package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

var harvest = flag.String("harvest", "", "add what fuzzing has found below this folder ($(go env GOCACHE)/fuzz/plateia/realtime/wire) to the corpus")

// corpus is what fuzzing has found, with this decoder's verdicts. The TypeScript decoder gives the same ones.
type corpus struct {
	Frames []sample `json:"frames"`
	Stream []sample `json:"stream"`
}

// sample is bytes and what a decoder says to them: a meaning as in frames.json, or an error.
type sample struct {
	Hex     string          `json:"hex"`
	Meaning json.RawMessage `json:"meaning,omitempty"`
	Error   string          `json:"error,omitempty"` // malformed or version
}

const corpusPath = "testdata/corpus.json"

// longest keeps the corpus readable: what is longer is a longer form of something shorter.
const longest = 160

func readCorpus(t testing.TB) corpus {
	t.Helper()
	var c corpus
	raw, err := os.ReadFile(corpusPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (s sample) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(s.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// frameSample is what Decode says to b.
func frameSample(t testing.TB, b []byte) sample {
	t.Helper()
	s := sample{Hex: hex.EncodeToString(b)}
	f, err := Decode(b)
	if s.Error = verdict(t, err); err == nil {
		meaning, err := json.Marshal(meaningOf(f))
		if err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		s.Meaning = meaning
	}
	return s
}

func streamSample(t testing.TB, b []byte) sample {
	t.Helper()
	_, err := DecodeStream(b)
	return sample{Hex: hex.EncodeToString(b), Error: verdict(t, err)}
}

func verdict(t testing.TB, err error) string {
	t.Helper()
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrVersion):
		return "version"
	case errors.Is(err, ErrMalformed):
		return "malformed"
	}
	t.Fatalf("an error of another kind: %v", err)
	return ""
}

func TestCorpus(t *testing.T) {
	if *update || *harvest != "" {
		writeCorpus(t)
	}
	c := readCorpus(t)
	if len(c.Frames) < 400 || len(c.Stream) < 40 {
		t.Errorf("%d frames and %d stream messages", len(c.Frames), len(c.Stream))
	}
	for _, want := range c.Frames {
		if got := frameSample(t, want.bytes(t)); !sameSample(t, got, want) {
			t.Errorf("%s: %s %s, the corpus says %s %s", want.Hex, got.Meaning, got.Error, want.Meaning, want.Error)
		}
	}
	for _, want := range c.Stream {
		if got := streamSample(t, want.bytes(t)); got.Error != want.Error {
			t.Errorf("%s: %q, the corpus says %q", want.Hex, got.Error, want.Error)
		}
	}
}

func sameSample(t testing.TB, a, b sample) bool {
	t.Helper()
	if a.Error != b.Error || a.Error != "" {
		return a.Error == b.Error
	}
	var x, y any
	if err := errors.Join(json.Unmarshal(a.Meaning, &x), json.Unmarshal(b.Meaning, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// writeCorpus writes the corpus anew: what it had, what was harvested, and every golden message cut short anywhere.
func writeCorpus(t *testing.T) {
	frames, stream := map[string]bool{}, map[string]bool{}
	if _, err := os.Stat(corpusPath); err == nil {
		old := readCorpus(t)
		for _, s := range old.Frames {
			frames[s.Hex] = true
		}
		for _, s := range old.Stream {
			stream[s.Hex] = true
		}
	}
	for _, f := range goldenFrames(t) {
		cuts(frames, Append(nil, f))
	}
	cuts(stream, EncodeStream(sampleDelta(t)))
	gather(t, frames, "FuzzDecode")
	gather(t, stream, "FuzzDecodeStream")
	var c corpus
	for _, h := range sortedKeys(frames) {
		c.Frames = append(c.Frames, frameSample(t, sample{Hex: h}.bytes(t)))
	}
	for _, h := range sortedKeys(stream) {
		c.Stream = append(c.Stream, streamSample(t, sample{Hex: h}.bytes(t)))
	}
	var out bytes.Buffer
	out.WriteString("{\n\"frames\": [\n")
	lines(t, &out, c.Frames)
	out.WriteString("],\n\"stream\": [\n")
	lines(t, &out, c.Stream)
	out.WriteString("]\n}\n")
	if err := os.WriteFile(corpusPath, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lines writes one sample a line, so that a change of the corpus is readable.
func lines(t *testing.T, out *bytes.Buffer, samples []sample) {
	for i, s := range samples {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(raw)
		if i < len(samples)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
}

func cuts(into map[string]bool, b []byte) {
	b = b[:min(len(b), longest)]
	for n := range len(b) + 1 {
		into[hex.EncodeToString(b[:n])] = true
	}
}

var fuzzInput = regexp.MustCompile(`(?m)^\[\]byte\((".*")\)$`)

// gather adds the short inputs that a fuzz target has kept.
func gather(t *testing.T, into map[string]bool, target string) {
	if *harvest == "" {
		return
	}
	files, err := filepath.Glob(filepath.Join(*harvest, target, "*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		match := fuzzInput.FindSubmatch(raw)
		if match == nil {
			continue
		}
		text, err := strconv.Unquote(string(match[1]))
		if err != nil {
			t.Fatal(err)
		}
		if len(text) <= longest {
			into[hex.EncodeToString([]byte(text))] = true
		}
	}
}
