package halves

import "fmt"

const version = 1

// Want is what a connection is for.
type Want string

// These are the wishes.
const (
	Facts Want = "facts" // once
	Stats Want = "stats" // once
	Lane  Want = "lane"  // the connection becomes the side channel of a lane
)

// Ask is the first line of a connection.
type Ask struct {
	Version int  `json:"version"`
	Want    Want `json:"want"`
	// Thread is that of the engine, for a lane.
	Thread int `json:"thread,omitempty"`
}

// Check refuses an ask of another version, or for something else.
func (a *Ask) Check() error {
	switch {
	case a.Version != version:
		return fmt.Errorf("version: found %d, allowed: %d; use the same dpukv at both ends",
			a.Version, version)
	case a.Want != Facts && a.Want != Stats && a.Want != Lane:
		return fmt.Errorf("want: found %q, allowed: %s, %s, %s", a.Want, Facts, Stats, Lane)
	}
	return nil
}

// Refusal answers an ask that cannot be met. Without an error, a lane can be made.
type Refusal struct {
	Error string `json:"error,omitempty"`
}
