package subject

import (
	"encoding/json"
	"fmt"
	"io"
)

// Version of the protocol. A judge refuses a base of another version.
const Version = 2

// Names of environment variables by which a judge starts a child.
const (
	// Env names the subject that a child serves. List asks for the names.
	Env  = "DPUKV_SUBJECT"
	List = "?"
	// PlantEnv has the loops per operation that each figure is slowed by: "0.5,2".
	PlantEnv = "DPUKV_PLANT"
)

// AnswerFD is the file by which a child answers. Commands come by its standard input. So nothing
// that a test prints is taken for an answer.
const AnswerFD = 3

// Kinds of subjects.
const (
	// Core is work of one thread at a time. Other programs do not change its CPU time by much.
	Core = "core"
	// Server is work of several threads that wait for each other. Other programs change what they
	// find to do at once, and so the CPU time.
	Server = "server"
)

// Facts are what a judge needs to know of a subject.
type Facts struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Figures []string `json:"figures"` // what each of an answer's times is of
	Batch   int      `json:"batch"`   // a slice has a multiple of so many operations
	// Polls: it uses CPU time while it has nothing to do, so it is stopped between its slices.
	Polls bool `json:"polls,omitempty"`
}

// Hello is a child's first line.
type Hello struct {
	Version  int     `json:"version"`
	Subjects []Facts `json:"subjects,omitempty"` // for List
	Counters string  `json:"counters,omitempty"` // why instructions are not counted; "": they are
	Error    string  `json:"error,omitempty"`
}

// Slice is a command: some operations that do not count, and those that do.
type Slice struct {
	Warm int `json:"warm"`
	Ops  int `json:"ops"`
}

// Answer is what a slice took.
type Answer struct {
	Ns           []int64 `json:"ns"` // CPU time of each figure
	WallNs       int64   `json:"wall_ns"`
	Instructions int64   `json:"instructions,omitempty"` // in user code; 0: not counted
	Error        string  `json:"error,omitempty"`
}

// Check refuses another version.
func (h *Hello) Check() error {
	switch {
	case h.Version != Version:
		return fmt.Errorf("found version %d of the judge's protocol, allowed: %d", h.Version,
			Version)
	case h.Error != "":
		return fmt.Errorf("the child says: %s", h.Error)
	}
	return nil
}

func send(w io.Writer, line any) error { return json.NewEncoder(w).Encode(line) }
