package draw

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The tree hash by its definition in RFC 6962, without our code.
func definition(leaves []Digest) Digest {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return leaves[0]
	}
	half := 1
	for half*2 < len(leaves) {
		half *= 2
	}
	left, right := definition(leaves[:half]), definition(leaves[half:])
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

func TestTheTreeIsThatOfRFC6962AndProvesEveryLeaf(t *testing.T) {
	var tree Tree
	var leaves []Digest
	for n := range 70 {
		if got, want := tree.Root(), definition(leaves); got != want || tree.Count() != uint64(n) {
			t.Fatalf("%d leaves: %v, want %v", n, got, want)
		}
		for at := range leaves {
			path, err := Inclusion(leaves, at)
			if err != nil || !Included(leaves[at], uint64(at), uint64(n), path, tree.Root()) {
				t.Fatalf("leaf %d of %d is not proved: %v", at, n, err)
			}
		}
		leaf := Entry{Pseudonym: fmt.Sprint(n), Class: Lottery, EnteredAt: 1, KeyThumb: "k"}.Leaf()
		leaves = append(leaves, leaf)
		tree.Add(leaf)
	}
	if _, err := Inclusion(leaves, len(leaves)); err == nil {
		t.Error("a leaf that is not there is proved")
	}
}

func TestNoOtherProofIsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		leaves := make([]Digest, rapid.IntRange(1, 40).Draw(t, "count"))
		for i := range leaves {
			leaves[i] = Digest{byte(i), 1}
		}
		at := rapid.IntRange(0, len(leaves)-1).Draw(t, "at")
		path, _ := Inclusion(leaves, at)
		root, count := rootOf(leaves), uint64(len(leaves))
		if Included(Digest{99}, uint64(at), count, path, root) {
			t.Error("another leaf is accepted")
		}
		if other := rapid.Uint64Range(0, count+3).Draw(t, "other"); other != uint64(at) && Included(leaves[at], other, count, path, root) {
			t.Errorf("leaf %d is accepted as %d", at, other)
		}
		if Included(leaves[at], uint64(at), count, append(path, Digest{}), root) {
			t.Error("a longer path is accepted")
		}
	})
}

func TestTheLogsRootCoversEveryPartAndItsCount(t *testing.T) {
	var log Log
	for i := range 1000 {
		log.Add(Entry{Pseudonym: fmt.Sprint(i), Class: Lottery, EnteredAt: 1, KeyThumb: "k"})
	}
	root, count := LogRoot(log.Roots())
	if count != 1000 {
		t.Errorf("count is %d", count)
	}
	for i := range Shards {
		changed := log.Roots()
		changed[i].Count++
		if other, _ := LogRoot(changed); other == root {
			t.Errorf("part %d counts one more and the root is the same", i)
		}
	}
	log.Add(Entry{Pseudonym: "one more", Class: Lottery, EnteredAt: 1, KeyThumb: "k"})
	if other, _ := LogRoot(log.Roots()); other == root {
		t.Error("an entry was added and the root is the same")
	}
}
