// Package seatview has the pictures that an organizer gives of what one sees from a section of a chart. They are served
// as they came, from an address made of their content, so what comes in must be the picture that it says it is.
package seatview

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	_ "image/jpeg" // formats that DecodeConfig and Decode know
	_ "image/png"

	"plateia/core/fault"
)

// What a picture may be. A phone shows it, on its way to a decision: more than that is only slower.
const (
	MaxBytes = 1 << 20
	MinSide  = 320  // pixels
	MaxSide  = 4096 // pixels
)

// Kind is a media type.
type Kind string

// The kinds of pictures.
const (
	JPEG Kind = "image/jpeg"
	PNG  Kind = "image/png"
	WebP Kind = "image/webp"
)

// Picture is a picture that was looked at.
type Picture struct {
	Kind   Kind
	Width  int // pixels
	Height int
	Digest string // of the body: its name in the address
	Body   []byte
}

// Read looks at a picture: its kind is what its bytes say, and it is decoded whole, because one that is cut off or damaged is
// found out by its readers otherwise. WebP is taken where a decoder of it is registered with package image: this package has none, since
// the standard library has none. Errors are fault.Invalid and fault.TooLarge.
func Read(body []byte) (Picture, error) {
	if len(body) > MaxBytes {
		return Picture{}, fault.New(fault.TooLarge, "a picture has at most %d kB", MaxBytes>>10)
	}
	p, err := kindOf(body)
	if err != nil {
		return p, err
	}
	if min(p.Width, p.Height) < MinSide || max(p.Width, p.Height) > MaxSide {
		return Picture{}, fault.New(fault.Invalid, "a picture's sides have %d to %d pixels; this one has %d × %d", MinSide, MaxSide, p.Width, p.Height)
	}
	if err := decode(p, body); err != nil { // after its size is known to be harmless
		return Picture{}, err
	}
	sum := sha256.Sum256(body)
	p.Digest, p.Body = hex.EncodeToString(sum[:16]), body
	return p, nil
}

func kindOf(body []byte) (Picture, error) {
	if w, h, ok := webpSize(body); ok {
		return Picture{Kind: WebP, Width: w, Height: h}, nil
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(body))
	kind, known := map[string]Kind{"jpeg": JPEG, "png": PNG}[format]
	if err != nil || !known {
		return Picture{}, fault.New(fault.Invalid, "this is no picture of a kind that is taken: JPEG, PNG or WebP that does not move")
	}
	return Picture{Kind: kind, Width: config.Width, Height: config.Height}, nil
}

// decode decodes a picture and lets go of the pixels. Its size must be the one that was read from its head: browsers go by either.
func decode(p Picture, body []byte) error {
	m, _, err := image.Decode(bytes.NewReader(body))
	switch {
	case errors.Is(err, image.ErrFormat):
		return fault.Wrap(err, fault.Invalid, "pictures of the kind %s cannot be checked here; give it as JPEG or PNG", p.Kind)
	case err != nil:
		return fault.Wrap(err, fault.Invalid, "this %s is damaged", p.Kind)
	case m.Bounds().Dx() != p.Width || m.Bounds().Dy() != p.Height:
		return fault.New(fault.Invalid, "this %s says two different sizes of itself", p.Kind)
	}
	return nil
}
