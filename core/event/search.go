package event

import (
	"strings"
	"unicode"
)

// MaxWords is how many words of a search are looked at.
const MaxWords = 6

// SearchText is what a search for an event looks in: title, venue, city and genre, folded.
func (e Event) SearchText() string {
	return Fold(strings.Join([]string{e.Title, e.Venue.Name, e.Venue.City, e.Genre}, " "))
}

// Words are the folded words of what somebody typed, at most MaxWords.
func Words(text string) []string {
	words := strings.Fields(Fold(text))
	return words[:min(len(words), MaxWords)]
}

// Fold lower-cases, takes Latin letters' accents off and turns everything that
// is not a letter or digit into a space: "São João!" is found as "sao joao".
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if at := strings.IndexRune(accented, r); at >= 0 {
			return rune(plain[len([]rune(accented[:at]))])
		}
		return foldPlain(r)
	}, strings.ToLower(text))
}

const (
	accented = "áàâãäåāăąçćčďđèéêëēęěíìîïīłñńňóòôõöøōőřśšşťţúùûüūůűýÿźżž"
	plain    = "aaaaaaaaacccddeeeeeeeiiiiilnnnoooooooorsssttuuuuuuuyyzzz"
)

func foldPlain(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return ' '
}
