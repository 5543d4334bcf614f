package event

import (
	"fmt"
	"strings"
	"unicode"
)

// MaxWords is how many words of a search are looked at.
const MaxWords = 6

// SearchText is what a search for an event looks in: the folded words of title, venue,
// city and genre, a space before each, letters that are not ASCII spelled out.
func (e Event) SearchText() string {
	return spellOut(" " + Key(strings.Join([]string{e.Title, e.Venue.Name, e.Venue.City, e.Genre}, " ")))
}

// Key is what two spellings of a name have in common: its folded words, a space between them.
func Key(name string) string { return strings.Join(strings.Fields(Fold(name)), " ") }

// Patterns are what SearchText must be LIKE, each, to be found by a text. A word is found inside longer
// ones; one of one or two letters only where a word begins, because an index of trigrams cannot find less.
func Patterns(text string) []string {
	words := Words(text)
	for i, word := range words { // folded: no % or _ is left in them
		word = spellOut(word)
		if len(word) < 3 {
			word = " " + word
		}
		words[i] = "%" + word + "%"
	}
	return words
}

// spellOut writes letters that are not ASCII as a z and their number: what counts as a letter to an index of
// trigrams depends on the database and its locale, for others than these.
func spellOut(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < unicode.MaxASCII {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "z%04x", r)
		}
	}
	return b.String()
}

// Words are the folded words of what somebody typed, at most MaxWords.
func Words(text string) []string {
	words := strings.Fields(Fold(text))
	return words[:min(len(words), MaxWords)]
}
