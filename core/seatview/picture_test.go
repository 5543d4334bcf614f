package seatview_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "golang.org/x/image/webp" // as the program registers it

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

// sample is a picture that a browser wrote: 320 × 320, with a colour profile.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name+".webp"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// withChunk is a WebP file with one more chunk at its end.
func withChunk(file []byte, more string) []byte {
	return webp(string(file[12:]) + more)
}

// lossy is the head of a frame, and nothing that could be a picture behind it.
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
		body   []byte
		kind   seatview.Kind
		height int
	}{
		"jpeg":           {asJPEG(t, 320, 330), seatview.JPEG, 330},
		"png":            {asPNG(t, 320, 330), seatview.PNG, 330},
		"webp":           {sample(t, "lossy"), seatview.WebP, 320},
		"webp lossless":  {sample(t, "lossless"), seatview.WebP, 320},
		"webp with more": {withChunk(sample(t, "lossy"), chunk("EXIF", []byte("x"))), seatview.WebP, 320},
	} {
		p, err := seatview.Read(tt.body)
		if err != nil || p.Kind != tt.kind || p.Width != 320 || p.Height != tt.height || len(p.Digest) != 32 {
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
		"nothing":                 {nil, fault.Invalid},
		"a page":                  {[]byte("<!doctype html><script>alert(1)</script>"), fault.Invalid},
		"svg":                     {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), fault.Invalid},
		"gif":                     {moving, fault.Invalid},
		"half a jpeg":             {good[:len(good)/2], fault.Invalid},
		"half a png":              {asPNG(t, 360, 330)[:200], fault.Invalid},
		"small":                   {asPNG(t, 360, 319), fault.Invalid},
		"wide":                    {webp(lossy(4097, 320)), fault.Invalid},
		"heavy":                   {append(good, make([]byte, seatview.MaxBytes)...), fault.TooLarge},
		"webp that moves":         {webp(chunk("ANIM", make([]byte, 6)), lossy(360, 330)), fault.Invalid},
		"webp of two frames":      {webp(lossy(360, 330), lossy(360, 330)), fault.Invalid},
		"webp without one":        {webp(chunk("VP8X", make([]byte, 10))), fault.Invalid},
		"webp cut off":            {webp(lossy(360, 330))[:30], fault.Invalid},
		"webp with a tail":        {append(webp(lossy(360, 330)), "<script>"...), fault.Invalid},
		"webp with a lie":         {webp("VP8 \xff\xff\xff\x7f" + strings.Repeat("x", 20)), fault.Invalid},
		"webp, only a head":       {webp(lossy(360, 330)), fault.Invalid},
		"lossless, the same":      {webp(lossless(360, 330)), fault.Invalid},
		"webp, half a frame":      {halved(sample(t, "lossy")), fault.Invalid},
		"lossless, the same half": {halved(sample(t, "lossless")), fault.Invalid},
		"webp, a later frame":     {webp(chunk("VP8 ", []byte{1, 0, 0, 0x9d, 1, 0x2a, 104, 1, 74, 1})), fault.Invalid},
	} {
		if _, err := seatview.Read(tt.body); fault.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %s", name, err, tt.code)
		}
	}
}

// halved is a WebP file whose container is in order and whose frame is cut off.
func halved(file []byte) []byte {
	var chunks []string
	for rest := file[12:]; len(rest) > 0; {
		size := int(binary.LittleEndian.Uint32(rest[4:]))
		name, data := string(rest[:4]), rest[8:8+size]
		if strings.HasPrefix(name, "VP8") && name != "VP8X" {
			data = data[:len(data)/2]
		}
		chunks = append(chunks, chunk(name, data))
		rest = rest[8+size+size&1:]
	}
	return webp(chunks...)
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f, "lossy"))
	f.Add(sample(f, "lossless"))
	f.Add(webp(lossy(360, 330)))
	f.Add(asPNG(f, 320, 320))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := seatview.Read(body)
		if err == nil && (p.Width < seatview.MinSide || p.Height > seatview.MaxSide || p.Kind == "") {
			t.Errorf("took %s %d × %d", p.Kind, p.Width, p.Height)
		}
	})
}
