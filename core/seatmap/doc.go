package seatmap

// The binary geometry, version 1
//
// Chart.Geometry writes it, web/src/map/geometry.ts reads it, testdata/ has the
// vectors that both are tested with. It says where every seat is, to within a
// tenth of a seat pitch, and what it is called, in about half a byte per seat.
//
// Values: u is an unsigned LEB128 varint below 2^31, s is a zigzag varint,
// f32 a little-endian IEEE single, ref a u that indexes the strings, opt a u
// that is 0 for nothing and else a ref plus one. A place (px, py) in steps is the
// point (originX + px*unit, originY + py*unit). Nothing follows the last list.
//
//	file     = "PLG" 0x01  f32 unit  f32 originX  f32 originY  f32 pitch
//	           u seats  u sections  u rows  u categories  u shapes  u strings
//	           strings*  categories*  s focalX s focalY  s x0 s y0 s x1 s y1 (bounds)
//	           sections*  shapes*  rows*  specials
//	string   = u length  UTF-8
//	category = ref key  ref name  ref color
//	section  = ref label  ref name  u flags (1: general admission)  u category  points  u rows
//	shape    = u role (0 stage, 1 pitch, 2 area, 3 line, 4 text)  opt label  opt color  points
//	points   = u count  (s dx  s dy)*      each from the one before, the first from (0, 0)
//	row      = ref label  u flags  [u pieces]  [numbering]  pieces*  [categories]
//	           flags: 1 several pieces (else one); 2 numbering follows as first and step;
//	           4 numbering follows as one ref per seat; 8 categories follow.
//	           A general-admission row has u seats instead of pieces, and its seats
//	           are at the centre of mass of the section's outline.
//	numbering= u first  s step             flag 2; without a flag seats are 1, 2, 3, …
//	         | ref*                        flag 4, after the pieces
//	piece    = u (count<<1 | kind)  s x  s y  rest
//	           x, y: the first seat, from the first seat of the piece before in the file
//	           kind 0, curve: [s dx s dy  [s mx s my]]
//	             d, for two seats or more: from the first seat to the last, less the d before
//	             m, for three or more: how far the curve's middle is from the middle of
//	             the chord (rounded down: first + d>>1), less the m before.
//	             Seat i of n is at first + d*t + 4*t*(1-t)*b, where t = i/(n-1) and
//	             b = m + (d>>1) - d/2
//	           kind 1, steps: (s dx  s dy) for each further seat, from the one before
//	categories = (u count  u category)*    until the row's seats are covered; without
//	           flag 8 every seat has its section's category
//	specials = u count  (u (gap<<2 | flags))*   flags: 1 accessible, 2 companion; gap from the
//	           ordinal before, the first from 0
