package pick

import (
	"plateia/core/event"
	"plateia/core/seatmap"
)

// Orphans returns the seats that taking the choice would leave single and that
// the mode forbids to leave so: nil when the choice is allowed. free is the set
// before the choice is taken.
func Orphans(c *seatmap.Chart, free Bitmap, choice []seatmap.Ordinal, mode event.OrphanMode) []seatmap.Ordinal {
	return nil
}
