package seatmap

func encodeGeometry(c *Chart) []byte { return nil }
