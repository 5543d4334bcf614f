//go:build !linux

package fanoutbench

import (
	"context"
	"encoding/json"
	"errors"
)

func attend(context.Context, *viewerTask, <-chan order, *json.Encoder) error {
	return errors.New("fanoutbench: the viewers need Linux")
}

func ownUsage() usage { return usage{} }
