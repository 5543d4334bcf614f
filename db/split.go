package db

import "strings"

// statements cuts a migration file at the semicolons that end statements:
// not those in quotes, dollar quotes or comments. Empty ones are dropped.
func statements(sql string) []string {
	var out []string
	start := 0
	for i := 0; i < len(sql); {
		if sql[i] == ';' {
			out = appendStatement(out, sql[start:i])
			start = i + 1
		}
		i += tokenLength(sql[i:])
	}
	return appendStatement(out, sql[start:])
}

func appendStatement(out []string, text string) []string {
	if text = strings.TrimSpace(text); onlyComments(text) {
		return out
	}
	return append(out, text)
}

func onlyComments(text string) bool {
	for i := 0; i < len(text); {
		n := tokenLength(text[i:])
		comment := strings.HasPrefix(text[i:], "--") || strings.HasPrefix(text[i:], "/*")
		if !comment && strings.TrimSpace(text[i:i+n]) != "" {
			return false
		}
		i += n
	}
	return true
}

// tokenLength is how far a quoted piece or comment that starts here reaches; 1 for anything else.
func tokenLength(s string) int {
	switch {
	case strings.HasPrefix(s, "--"):
		return reach(s, 2, "\n")
	case strings.HasPrefix(s, "/*"):
		return reach(s, 2, "*/")
	case s[0] == '\'', s[0] == '"':
		return reach(s, 1, s[:1])
	case s[0] == '$':
		if end := strings.IndexByte(s[1:], '$'); end >= 0 && isTag(s[1:1+end]) {
			return reach(s, end+2, s[:end+2])
		}
	}
	return 1
}

func reach(s string, from int, end string) int {
	if at := strings.Index(s[from:], end); at >= 0 {
		return from + at + len(end)
	}
	return len(s)
}

func isTag(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
