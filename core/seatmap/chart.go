// Package seatmap is the venue layout: sections, rows and seats with their places.
package seatmap

// Ordinal is a seat's dense number 0..N-1 within one chart version, in
// section-row order. Engines, bitmaps and the wire use it; people see labels.
type Ordinal int32
