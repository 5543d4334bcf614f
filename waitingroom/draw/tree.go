package draw

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/bits"
)

// Tree is the Merkle tree hash of RFC 6962 (2.1) over leaves that come one at a time. It keeps
// one hash for each bit of the count, so a shard's root is ready at any moment.
type Tree struct {
	count uint64
	peaks []Digest // roots of full subtrees, largest first; one for each bit set in count
}

// Add appends a leaf's hash.
func (t *Tree) Add(leaf Digest) {
	for full := t.count; full&1 == 1; full >>= 1 {
		last := len(t.peaks) - 1
		leaf = node(t.peaks[last], leaf)
		t.peaks = t.peaks[:last]
	}
	t.peaks = append(t.peaks, leaf)
	t.count++
}

// Count is how many leaves there are.
func (t *Tree) Count() uint64 { return t.count }

// Root is the tree's hash; of an empty tree the hash of nothing.
func (t *Tree) Root() Digest {
	if len(t.peaks) == 0 {
		return sha256.Sum256(nil)
	}
	root := t.peaks[len(t.peaks)-1]
	for i := len(t.peaks) - 2; i >= 0; i-- {
		root = node(t.peaks[i], root)
	}
	return root
}

// node is the hash of an inner node. The 1 in front keeps it apart from a leaf.
func node(left, right Digest) Digest {
	var text [1 + 2*sha256.Size]byte
	text[0] = 1
	copy(text[1:], left[:])
	copy(text[1+sha256.Size:], right[:])
	return sha256.Sum256(text[:])
}

// Inclusion is the proof that leaf number at is in the tree of these leaves: the hashes beside
// its way to the root, nearest first (RFC 6962, 2.1.1).
func Inclusion(leaves []Digest, at int) ([]Digest, error) {
	if at < 0 || at >= len(leaves) {
		return nil, errors.New("draw: no such leaf")
	}
	var path []Digest
	for len(leaves) > 1 {
		half := 1 << (bits.Len(uint(len(leaves)-1)) - 1) // the largest power of two below the count
		left, right := leaves[:half], leaves[half:]
		if at < half {
			path, leaves = append(path, rootOf(right)), left
		} else {
			path, leaves, at = append(path, rootOf(left)), right, at-half
		}
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path, nil
}

// Included verifies a proof of Inclusion.
func Included(leaf Digest, at, count uint64, path []Digest, root Digest) bool {
	if at >= count {
		return false
	}
	last := count - 1
	for _, beside := range path {
		if last == 0 {
			return false
		}
		if at&1 == 1 || at == last {
			leaf = node(beside, leaf)
			for at&1 == 0 && at != 0 {
				at, last = at>>1, last>>1
			}
		} else {
			leaf = node(leaf, beside)
		}
		at, last = at>>1, last>>1
	}
	return last == 0 && leaf == root
}

func rootOf(leaves []Digest) Digest {
	var t Tree
	for _, leaf := range leaves {
		t.Add(leaf)
	}
	return t.Root()
}

// ShardRoot is one part of the log at the cut-off.
type ShardRoot struct {
	Count uint64 `json:"count"`
	Root  Digest `json:"root"`
}

// LogRoot is the hash over all parts of the log in order: the Merkle tree over their counts and roots.
func LogRoot(shards []ShardRoot) (root Digest, count uint64) {
	var t Tree
	for _, s := range shards {
		text := binary.BigEndian.AppendUint64([]byte{0}, s.Count)
		t.Add(sha256.Sum256(append(text, s.Root[:]...)))
		count += s.Count
	}
	return t.Root(), count
}

// Log is the trees of all parts of an entry log.
type Log [Shards]Tree

// Add appends an entry to the part that keeps it.
func (l *Log) Add(e Entry) { l[ShardOf(e.Pseudonym)].Add(e.Leaf()) }

// Roots are the parts as they are now.
func (l *Log) Roots() []ShardRoot {
	roots := make([]ShardRoot, Shards)
	for i := range l {
		roots[i] = ShardRoot{l[i].Count(), l[i].Root()}
	}
	return roots
}
