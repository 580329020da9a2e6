package keeper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// groupPrefix begins the names of labs' groups.
const groupPrefix = "dpukv-lab-"

// groupName returns the group name of this keeper's lab.
func groupName() (string, error) {
	space, err := inode("/proc/self/ns/pid")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%d-%d-%s", groupPrefix, space, os.Getpid(), StartOf(os.Getpid())), nil
}

// abandoned reports whether a group name belongs to a dead keeper of this PID namespace.
func abandoned(name string, space uint64) bool {
	parts := strings.Split(strings.TrimPrefix(name, groupPrefix), "-")
	if !strings.HasPrefix(name, groupPrefix) || len(parts) != 3 {
		return false
	}
	pid, err := strconv.Atoi(parts[1])
	return err == nil && parts[0] == strconv.FormatUint(space, 10) && StartOf(pid) != parts[2]
}

// owned reports whether a group belongs to this user. So no other user's lab blocks this user's.
func owned(dir string) bool {
	var st unix.Stat_t
	return unix.Stat(dir, &st) == nil && int(st.Uid) == os.Geteuid()
}

// Sweep removes the groups of this user's dead keepers, with the processes in them: their labs are
// gone. Without control groups, it has nothing to do.
func Sweep() error {
	h, err := findHierarchy()
	if err != nil {
		return nil
	}
	space, err := inode("/proc/self/ns/pid")
	if err != nil {
		return err
	}
	var errs []error
	for _, parent := range h.ancestors() {
		dirs, _ := filepath.Glob(filepath.Join(parent, groupPrefix+"*"))
		for _, dir := range dirs {
			if abandoned(filepath.Base(dir), space) && owned(dir) {
				errs = append(errs, removeGroups(dir))
			}
		}
	}
	return errors.Join(errs...)
}
