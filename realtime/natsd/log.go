package natsd

import (
	"fmt"
	"log/slog"
)

// logAdapter gives the server's lines to slog; its notices are details for us.
type logAdapter struct{ log *slog.Logger }

func (l logAdapter) Noticef(format string, v ...any) {
	l.log.Debug("nats: " + fmt.Sprintf(format, v...))
}
func (l logAdapter) Warnf(format string, v ...any) { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l logAdapter) Fatalf(format string, v ...any) {
	l.log.Error("nats: " + fmt.Sprintf(format, v...))
}
func (l logAdapter) Errorf(format string, v ...any) {
	l.log.Error("nats: " + fmt.Sprintf(format, v...))
}
func (l logAdapter) Debugf(format string, v ...any) {}
func (l logAdapter) Tracef(format string, v ...any) {}
