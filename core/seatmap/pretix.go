package seatmap

import (
	"io"

	"plateia/core/fault"
	"plateia/core/id"
)

// ImportOptions say what the imported chart is to be.
type ImportOptions struct {
	ID      id.ID
	Version int    // 0: 1
	Name    string // empty: the plan's
	Repair  bool   // give duplicate and unnamed seats labels of their own instead of refusing
}

// Report is what an import found. Problems refuse the plan unless Repair can mend
// them; each list has at most MaxProblems entries, the totals count all.
type Report struct {
	Seats         int       `json:"seats"`
	Problems      []Problem `json:"problems"`
	ProblemTotal  int       `json:"problemTotal"`
	Warnings      []Problem `json:"warnings"`
	WarningTotal  int       `json:"warningTotal"`
	Repairs       []Problem `json:"repairs"` // made, with Repair
	RepairTotal   int       `json:"repairTotal"`
	RepairOffered bool      `json:"repairOffered"` // every problem would be mended by Repair
}

// ImportPretix reads a seating plan in pretix's JSON form.
func ImportPretix(r io.Reader, opts ImportOptions) (Spec, Report, error) {
	return Spec{}, Report{}, fault.New(fault.Invalid, "not yet")
}
