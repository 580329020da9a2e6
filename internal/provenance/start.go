package provenance

import (
	"os"
	"os/user"
	"time"

	"dpukv/internal/redact"
)

// Start is one start of a command.
type Start struct {
	At     time.Time `json:"at"`
	Argv   []string  `json:"argv"`   // the command line, without secrets: see package redact
	Folder string    `json:"folder"` // the working directory
	Host   string    `json:"host"`
	User   string    `json:"user"`
	// SudoUser is the user who became that user by sudo.
	SudoUser string `json:"sudo_user,omitempty"`
	Build
	Digest   string   `json:"build"` // of the binary
	Warnings []string `json:"warnings,omitempty"`
}

// Begin describes a start at this moment. digest is that of the binary.
func Begin(argv []string, build Build, digest string) Start {
	s := Start{
		At: time.Now().UTC(), Argv: redact.Words(argv), SudoUser: os.Getenv("SUDO_USER"),
		Build: build, Digest: digest,
	}
	s.Folder, _ = os.Getwd()
	s.Host, _ = os.Hostname()
	if u, err := user.Current(); err == nil {
		s.User = u.Username
	}
	if w := s.Warning(); w != "" {
		s.Warnings = append(s.Warnings, w)
	}
	return s
}
