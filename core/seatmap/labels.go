package seatmap

import "fmt"

// labelIndex is a hash table of ordinals: half a megabyte for 60,000 seats
// where a map of strings would take six. Labels are made when compared.
type labelIndex struct {
	slots []Ordinal // ordinal + 1; 0: empty
	mask  uint32
}

// indexLabels reports seats whose labels are equal.
func indexLabels(c *Chart, p *problems) labelIndex {
	size := uint32(16)
	for int(size) < 2*len(c.number) {
		size *= 2
	}
	index := labelIndex{slots: make([]Ordinal, size), mask: size - 1}
	for o := range Ordinal(len(c.number)) {
		label := c.Label(o)
		slot, other, found := index.probe(c, label)
		if found {
			p.add(fmt.Sprintf("seat %q", clip(label)), "is there twice: seats %d and %d of the chart", other+1, o+1)
			continue
		}
		index.slots[slot] = o + 1
	}
	return index
}

// find is Find without the table's details.
func (x *labelIndex) find(c *Chart, label string) (Ordinal, bool) {
	if label == "" || len(label) > 3*MaxText+2 {
		return 0, false
	}
	_, o, found := x.probe(c, label)
	return o, found
}

// probe returns the label's slot and, when found, whose it is.
func (x *labelIndex) probe(c *Chart, label string) (slot uint32, o Ordinal, found bool) {
	for slot = hashLabel(label) & x.mask; x.slots[slot] != 0; slot = (slot + 1) & x.mask {
		if o = x.slots[slot] - 1; c.labelIs(o, label) {
			return slot, o, true
		}
	}
	return slot, 0, false
}

// labelIs compares without building the label.
func (c *Chart) labelIs(o Ordinal, label string) bool {
	row := &c.rows[c.rowOf[o]]
	section, number := c.sections[row.Section].Label, c.number[o]
	if len(label) != len(section)+len(row.Label)+len(number)+2 {
		return false
	}
	a, b := len(section), len(section)+1+len(row.Label)
	return label[:a] == section && label[a] == '-' && label[a+1:b] == row.Label &&
		label[b] == '-' && label[b+1:] == number
}

// hashLabel is FNV-1a with a final mix, as the low bits choose the slot.
func hashLabel(label string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(label); i++ {
		h = (h ^ uint32(label[i])) * 16777619
	}
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>12
}
