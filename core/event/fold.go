package event

import (
	"strings"
	"unicode"
)

// Fold lower-cases, takes accents off and turns everything that is not a letter or digit into a
// space: "São João!" is found as "sao joao". A letter is the same whether its accents are part of it
// or characters of their own, in any alphabet: "Дмитрий", "がんばれ" and "한국" as well.
func Fold(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range strings.ToLower(text) {
		if isSyllable(r) {
			writeJamo(&b, r)
		} else if r = foldLetter(r); r >= 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// foldLetter is what a letter is folded to; -1: nothing.
func foldLetter(r rune) rune {
	if r < unicode.MaxASCII && unicode.IsLetter(r) {
		return r
	}
	if plain, ok := plainLetters[r]; ok {
		return plain
	}
	switch {
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Mc, r):
		return r
	case unicode.Is(unicode.Mn, r):
		return -1
	}
	return ' '
}

// plainLetters is foldedTo by letter; nothing changes it.
var plainLetters = func() map[rune]rune {
	plain := map[rune]rune{}
	for word := range strings.FieldsSeq(foldedTo) {
		letters := []rune(word)
		for _, r := range letters[1:] {
			plain[r] = letters[0]
		}
	}
	return plain
}()

// A Korean syllable is the same as its parts, by arithmetic (chapter 3.12 of the Unicode standard).
const (
	firstSyllable, lastSyllable       = 0xAC00, 0xD7A3
	firstLead, firstVowel, beforeTail = 0x1100, 0x1161, 0x11A7
	vowels, tails                     = 21, 28
)

func isSyllable(r rune) bool { return r >= firstSyllable && r <= lastSyllable }

func writeJamo(b *strings.Builder, r rune) {
	n := r - firstSyllable
	b.WriteRune(firstLead + n/(vowels*tails))
	b.WriteRune(firstVowel + n/tails%vowels)
	if tail := n % tails; tail > 0 {
		b.WriteRune(beforeTail + tail)
	}
}
