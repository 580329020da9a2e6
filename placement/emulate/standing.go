package emulate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/infile"
	"dpukv/placement/emulate/keeper"
)

// Standing is a lab that outlives the process that made it, until End. A file describes the way
// onto its machines.
type Standing struct {
	ways
	Start string `json:"start"` // of the keeper, in clock ticks after boot,
	Boot  string `json:"boot"`  // which was this one
	file  string
}

// Stand keeps the lab after this process, and writes the file for OpenStanding. Afterwards, do not
// use or close the lab.
func (l *Lab) Stand(file string) (*Standing, error) {
	s := &Standing{l.ways, keeper.StartOf(l.Held.PID), bootID(), file}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	// Write the file before the lab stays, so that no lab stays unknown.
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return nil, err
	}
	if err := errors.Join(os.Rename(file+".new", file),
		l.call("Stay", struct{}{}, &struct{}{})); err != nil {
		return nil, errors.Join(err, s.forget())
	}
	return s, nil
}

// OpenStanding finds the lab of a file; nil: there is none.
func OpenStanding(file string) (*Standing, error) {
	text, err := infile.Read(file, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &Standing{file: file}
	err = json.Unmarshal(text, s)
	if err == nil && (s.Held.PID <= 1 || s.Start == "") {
		err = errors.New("without a keeper")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: found no emulated testbed in it: %w. Remove it, and end what "+
			"\"pgrep -af 'dpukv lab'\" lists", file, err)
	}
	return s, nil
}

// Alive reports whether the machines still exist. A killed keeper takes them along. A keeper that
// is about to end releases them before it is gone itself.
func (s *Standing) Alive() bool {
	for _, fd := range s.Held.FDs {
		if _, err := os.Lstat(fmt.Sprintf("/proc/%d/fd/%d", s.Held.PID, fd)); err != nil {
			return false
		}
	}
	return s.kept()
}

// kept reports whether the keeper still runs.
func (s *Standing) kept() bool {
	return s.Boot == bootID() && keeper.StartOf(s.Held.PID) == s.Start
}

// bootID identifies a boot of the machine. After another boot, PIDs and clock ticks repeat.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// Owner returns the keeper's name as an owner in package submode.
func (s *Standing) Owner() string { return fmt.Sprintf("%d %s", s.Held.PID, s.Start) }

// End ends all processes on the machines, removes the machines, and removes the file. After a
// killed keeper, End removes the leftovers.
func (s *Standing) End() error {
	fd, err := unix.PidfdOpen(s.Held.PID, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if err == nil && s.kept() { // checked with the PID held, so that it is not another process's
		err = errors.Join(unix.PidfdSendSignal(fd, unix.SIGTERM, nil, 0), s.await())
	} else {
		err = nil
	}
	if err = errors.Join(err, keeper.Sweep()); err != nil {
		return fmt.Errorf("take the emulated machines away: %w", err)
	}
	return s.forget()
}

func (s *Standing) await() error {
	for end := time.Now().Add(closePatience); s.kept(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("their keeper, PID %d, does not end", s.Held.PID)
		}
	}
	return nil
}

// forget removes the file, and the two folders above it that dpukv made, if they are empty.
func (s *Standing) forget() error {
	err := os.Remove(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	dir := filepath.Dir(s.file)
	_, _ = os.Remove(dir), os.Remove(filepath.Dir(dir))
	return err
}
