package seatview_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"plateia/core/fault"
	"plateia/core/seatview"
)

func drawn(w, h int) image.Image {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for x := range w {
		m.SetGray(x, h/2, color.Gray{uint8(x)})
	}
	return m
}

func encoded(t testing.TB, encode func(b *bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(t testing.TB, w, h int) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, drawn(w, h)) })
}

func asJPEG(t testing.TB, w, h int) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, drawn(w, h), nil) })
}

// webp is a file with these chunks.
func webp(chunks ...string) []byte {
	body := "WEBP" + strings.Join(chunks, "")
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func chunk(name string, data []byte) string {
	out := string(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data)))) + string(data)
	if len(data)%2 == 1 {
		out += "\x00"
	}
	return out
}

func lossy(w, h uint16) string {
	head := []byte{0x10, 0, 0, 0x9d, 0x01, 0x2a}
	head = binary.LittleEndian.AppendUint16(head, w)
	return chunk("VP8 ", append(binary.LittleEndian.AppendUint16(head, h), 1, 2, 3))
}

func lossless(w, h uint32) string {
	return chunk("VP8L", append(binary.LittleEndian.AppendUint32([]byte{0x2f}, (w-1)|(h-1)<<14), 1, 2))
}

func TestPicturesAreWhatTheirBytesSay(t *testing.T) {
	for name, tt := range map[string]struct {
		body []byte
		kind seatview.Kind
	}{
		"jpeg":           {asJPEG(t, 360, 330), seatview.JPEG},
		"png":            {asPNG(t, 360, 330), seatview.PNG},
		"webp":           {webp(lossy(360, 330)), seatview.WebP},
		"webp lossless":  {webp(lossless(360, 330)), seatview.WebP},
		"webp with more": {webp(chunk("VP8X", make([]byte, 10)), lossy(360, 330), chunk("EXIF", []byte("x"))), seatview.WebP},
	} {
		p, err := seatview.Read(tt.body)
		if err != nil || p.Kind != tt.kind || p.Width != 360 || p.Height != 330 || len(p.Digest) != 32 {
			t.Errorf("%s: %s %d × %d %q, %v", name, p.Kind, p.Width, p.Height, p.Digest, err)
		}
	}
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	good := asJPEG(t, 360, 330)
	moving := encoded(t, func(b *bytes.Buffer) error {
		return gif.Encode(b, image.NewPaletted(image.Rect(0, 0, 330, 330), color.Palette{color.Black, color.White}), nil)
	})
	for name, tt := range map[string]struct {
		body []byte
		code fault.Code
	}{
		"nothing":             {nil, fault.Invalid},
		"a page":              {[]byte("<!doctype html><script>alert(1)</script>"), fault.Invalid},
		"svg":                 {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), fault.Invalid},
		"gif":                 {moving, fault.Invalid},
		"half a jpeg":         {good[:len(good)/2], fault.Invalid},
		"half a png":          {asPNG(t, 360, 330)[:200], fault.Invalid},
		"small":               {asPNG(t, 360, 319), fault.Invalid},
		"wide":                {webp(lossy(4097, 320)), fault.Invalid},
		"heavy":               {append(good, make([]byte, seatview.MaxBytes)...), fault.TooLarge},
		"webp that moves":     {webp(chunk("ANIM", make([]byte, 6)), lossy(360, 330)), fault.Invalid},
		"webp of two frames":  {webp(lossy(360, 330), lossy(360, 330)), fault.Invalid},
		"webp without one":    {webp(chunk("VP8X", make([]byte, 10))), fault.Invalid},
		"webp cut off":        {webp(lossy(360, 330))[:30], fault.Invalid},
		"webp with a tail":    {append(webp(lossy(360, 330)), "<script>"...), fault.Invalid},
		"webp with a lie":     {webp("VP8 \xff\xff\xff\x7f" + strings.Repeat("x", 20)), fault.Invalid},
		"webp, a later frame": {webp(chunk("VP8 ", []byte{1, 0, 0, 0x9d, 1, 0x2a, 104, 1, 74, 1})), fault.Invalid},
	} {
		if _, err := seatview.Read(tt.body); fault.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %s", name, err, tt.code)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(webp(lossy(360, 330)))
	f.Add(webp(lossless(360, 330)))
	f.Add(asPNG(f, 320, 320))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := seatview.Read(body)
		if err == nil && (p.Width < seatview.MinSide || p.Height > seatview.MaxSide || p.Kind == "") {
			t.Errorf("took %s %d × %d", p.Kind, p.Width, p.Height)
		}
	})
}
