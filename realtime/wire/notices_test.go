package wire

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"plateia/core/id"
)

func someNotices() (id.ID, []Addressed) {
	return id.New(), []Addressed{
		{id.New(), Notice{NoticeHold, []byte(`{"holdId":"x","state":"EXPIRED"}`)}},
		{id.ID{}, Notice{NoticeEvent, []byte(`{"state":"paused"}`)}},
		{id.New(), Notice{NoticeOrder, bytes.Repeat([]byte("x"), MaxNotice)}},
	}
}

func TestNoticesRoundTrip(t *testing.T) {
	event, notices := someNotices()
	raw := EncodeNotices(event, notices)
	if cap(raw) != NoticesSize(len(notices), 32+18+MaxNotice) {
		t.Errorf("the buffer grew to %d", cap(raw))
	}
	of, got, err := DecodeNotices(raw)
	if err != nil || of != event || !reflect.DeepEqual(got, notices) {
		t.Errorf("%v %v\n%+v", err, of, got)
	}
	for cut := range raw {
		if _, _, err := DecodeNotices(raw[:cut]); !errors.Is(err, ErrMalformed) {
			t.Fatalf("cut to %d bytes: %v", cut, err)
		}
	}
	if _, _, err := DecodeNotices(append([]byte{2}, raw[1:]...)); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
}

func FuzzDecodeNotices(f *testing.F) {
	event, notices := someNotices()
	f.Add(EncodeNotices(event, notices))
	f.Add(EncodeNotices(event, nil))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		event, notices, err := DecodeNotices(raw)
		if err == nil && !bytes.Equal(EncodeNotices(event, notices), raw) {
			t.Errorf("decoded, but is not what would be encoded: %x", raw)
		}
	})
}
