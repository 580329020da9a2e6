package mica

import (
	"fmt"
	"os"
)

// gnetLog passes on what gnet complains of, and drops the rest.
type gnetLog struct{}

func (gnetLog) Debugf(string, ...any) {}
func (gnetLog) Infof(string, ...any)  {}
func (gnetLog) Warnf(string, ...any)  {}

func (gnetLog) Errorf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "mica: "+format+"\n", args...)
}

func (l gnetLog) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	os.Exit(1)
}
