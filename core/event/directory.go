package event

import "strings"

// Directory is what lists can be narrowed to: the cities, genres and venues of the events to come,
// those with most events first.
type Directory struct {
	Cities, Genres, Venues []Entry
}

// Entry is one of them.
type Entry struct {
	Name    string
	City    string // of a venue
	Country string // of a city or a venue
	Events  int    // listed
	Key     string
}

// Suggest finds the entries in which every word of text begins a word, at most limit of each kind. No
// text: the first of each.
func (d Directory) Suggest(text string, limit int) Directory {
	words := Words(text)
	return Directory{suggest(d.Cities, words, limit), suggest(d.Genres, words, limit), suggest(d.Venues, words, limit)}
}

func suggest(entries []Entry, words []string, limit int) []Entry {
	found := make([]Entry, 0, min(limit, len(entries)))
	for _, e := range entries {
		if len(found) == limit {
			break
		}
		if e.begins(words) {
			found = append(found, e)
		}
	}
	return found
}

func (e Entry) begins(words []string) bool {
	for _, word := range words {
		if !strings.HasPrefix(e.Key, word) && !strings.Contains(e.Key, " "+word) {
			return false
		}
	}
	return true
}
