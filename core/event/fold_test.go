package event

import (
	"strings"
	"testing"
	"unicode"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"São João!": "sao joao ", "ÀÉÎÕÜ Çñ": "aeiou cn", "Łódź 2026": "lodz 2026", "Žižkov": "zizkov", "İstanbul ılık": "istanbul ilik",
		"AC/DC": "ac dc", "東京ドーム": "東京トーム", "": "", "a%b_c": "a b c", "Sa\u0303o": "sao", "Đổi Mới": "doi moi", "مُحَمَّد": "محمد", "😀 x": "  x",
	} {
		if got := Fold(text); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
	}
}

// Case 34: phones and computers write accents in two ways, and people of every alphabet look for each other's names.
func TestFoldSeesNoDifferenceBetweenTheTwoWaysOfWritingAccents(t *testing.T) {
	for composed, apart := range map[string]string{
		"Ção": "C\u0327a\u0303o", "ÊÔ": "E\u0302O\u0302", "Дмитрий": "Дмитрии\u0306", "Ёлка": "Е\u0308лка", "Ế": "E\u0302\u0301",
		"ガンバ": "カ\u3099ンハ\u3099", "ぱ": "は\u309a", "آمال": "ا\u0653مال", "ὕβρις": "υ\u0314\u0301βρις",
		"한국": "\u1112\u1161\u11ab\u1100\u116e\u11a8", "가": "\u1100\u1161", "ক্ষড়": "ক্ষড\u09bc", "ǿ": "o\u0338\u0301",
	} {
		if a, b := Fold(composed), Fold(apart); a != b || strings.TrimSpace(a) == "" {
			t.Errorf("%q is folded to %q, %q to %q", composed, a, apart, b)
		}
	}
}

func TestFoldedLettersStayWhatTheyAre(t *testing.T) {
	if len(plainLetters) < 500 {
		t.Errorf("only %d letters have accents", len(plainLetters))
	}
	for from, to := range plainLetters {
		if foldLetter(to) != to || !unicode.IsLetter(to) || from == to {
			t.Errorf("%c becomes %c, which becomes %c", from, to, foldLetter(to))
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add("São João 한국 😀")
	f.Add("\xff%_")
	f.Fuzz(func(t *testing.T, text string) {
		folded := Fold(text)
		if again := Fold(folded); again != folded {
			t.Errorf("%q is folded to %q and then to %q", text, folded, again)
		}
		for _, pattern := range Patterns(text) {
			if strings.ContainsAny(pattern[1:len(pattern)-1], `%_\`) {
				t.Errorf("%q is looked for as %q", text, pattern)
			}
		}
	})
}
