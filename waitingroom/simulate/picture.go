package simulate

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Picture writes a run as SVG: people inside against the target, and below them entries,
// called and admitted.
func Picture(w io.Writer, r Result, s Series) error {
	const width, height, left, gap = 960.0, 240.0, 70.0, 60.0
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="system-ui, sans-serif" font-size="13" fill="#222">`+"\n", width+left+30, 2*(height+gap)+30)
	fmt.Fprintf(&b, `<title>Waiting room, scenario %s</title><rect width="100%%" height="100%%" fill="#fff"/>`+"\n", r.Scenario)
	top := 40.0
	target := float64(r.Target)
	fmt.Fprintf(&b, `<text x="%g" y="24">%s: %s fans, %s inside at most %.1f %% of the target</text>`+"\n", left, r.Scenario, thousands(r.Fans), thousands(r.Target), r.OccupancyMaxPct)
	chart{left, top, width, height, 1.15 * target}.draw(&b, "people inside", line{s.Inside, "#0b62a4"})
	y := top + height*(1-1/1.15)
	fmt.Fprintf(&b, `<line x1="%g" y1="%.1f" x2="%g" y2="%.1f" stroke="#c22" stroke-dasharray="6 4"/><text x="%g" y="%.1f" fill="#c22">target</text>`+"\n", left, y, left+width, y, left+4, y-4)
	most := max(slices.Max(s.Served), 1)
	chart{left, top + height + gap, width, height, 1.1 * most}.draw(&b, "called (dark) and admitted (light); entries (dotted) leave the picture when there are more",
		line{s.Served, "#0b62a4"}, line{s.Admitted, "#7ab3dd"}, line{capped(s.Entered, 1.1*most), "#999"})
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

type line struct {
	values []float64
	color  string
}

type chart struct{ x, y, width, height, top float64 }

func (c chart) draw(b *strings.Builder, title string, lines ...line) {
	fmt.Fprintf(b, `<text x="%g" y="%g">%s</text><rect x="%g" y="%g" width="%g" height="%g" fill="none" stroke="#888"/>`+"\n", c.x, c.y+c.height+36, title, c.x, c.y, c.width, c.height)
	seconds := len(lines[0].values)
	for minute := 0; minute*60 <= seconds; minute += 10 {
		fmt.Fprintf(b, `<text x="%.1f" y="%g" text-anchor="middle" fill="#666">%d min</text>`+"\n", c.x+c.width*float64(minute*60)/float64(seconds), c.y+c.height+18, minute)
	}
	fmt.Fprintf(b, `<text x="%g" y="%g" text-anchor="end" fill="#666">%s</text>`+"\n", c.x-6, c.y+12, thousands(int(c.top)))
	for i, l := range lines {
		dash := ""
		if i == 2 {
			dash = ` stroke-dasharray="2 3"`
		}
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="1.5"%s points="`, l.color, dash)
		for at := 0; at < len(l.values); at += max(1, len(l.values)/900) {
			fmt.Fprintf(b, "%.1f,%.1f ", c.x+c.width*float64(at)/float64(seconds), c.y+c.height*(1-l.values[at]/c.top))
		}
		b.WriteString("\"/>\n")
	}
}

func capped(values []float64, most float64) []float64 {
	out := slices.Clone(values)
	for i := range out {
		out[i] = min(out[i], most)
	}
	return out
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
