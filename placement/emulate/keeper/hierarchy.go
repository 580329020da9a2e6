package keeper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hierarchy is the tree of control groups that has the cpu controller.
type hierarchy struct {
	version string // "v1", "v2"
	mount   string // where its top is mounted
	own     string // this process's group, below mount
}

// findHierarchy reads where it is from /proc/self.
func findHierarchy() (*hierarchy, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	return parseHierarchy(string(mounts), string(groups))
}

// parseHierarchy takes version 1 if it has the cpu controller, for then version 2 has not.
func parseHierarchy(mountinfo, groups string) (*hierarchy, error) {
	for _, v := range []struct{ version, fstype, controller string }{{"v1", "cgroup", "cpu"}, {"v2", "cgroup2", ""}} {
		for line := range strings.Lines(mountinfo) {
			root, mount, ok := parseMount(line, v.fstype, v.controller)
			if !ok {
				continue
			}
			own, err := filepath.Rel(root, groupOf(groups, v.controller))
			if err != nil || own == ".." || strings.HasPrefix(own, "../") {
				own = "." // another container's mount: its top is all that is known
			}
			return &hierarchy{v.version, mount, own}, nil
		}
	}
	return nil, errors.New("control groups: found no mount with the cpu controller in /proc/self/mountinfo")
}

// parseMount reads a line of proc_pid_mountinfo(5): the 4th and 5th fields are root and mount point, and
// after a dash stand type, source and the superblock's options, controllers among them.
func parseMount(line, fstype, controller string) (root, mount string, ok bool) {
	before, after, _ := strings.Cut(line, " - ")
	fields, super := strings.Fields(before), strings.Fields(after)
	if len(fields) < 6 || len(super) < 3 || super[0] != fstype {
		return "", "", false
	}
	if controller != "" && !slices.Contains(strings.Split(super[2], ","), controller) {
		return "", "", false
	}
	return unescape(fields[3]), unescape(fields[4]), true
}

// unescape undoes what mountinfo does to blanks in a path.
func unescape(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}

// groupOf is the process's group in /proc/self/cgroup: lines of "number:controllers:path".
func groupOf(groups, controller string) string {
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && slices.Contains(strings.Split(parts[1], ","), controller) {
			return parts[2]
		}
	}
	return "/"
}

// ancestors are the folders in which a group may be made: that of this process's own, and upwards.
func (h *hierarchy) ancestors() []string {
	var dirs []string
	for g := filepath.Clean(h.own); ; g = filepath.Dir(g) {
		dirs = append(dirs, filepath.Join(h.mount, g))
		if g == "." || g == "/" {
			return dirs
		}
	}
}

// create makes a group whose children have CPU quotas.
func (h *hierarchy) create(name string) (dir string, err error) {
	var refusals []error
	for _, parent := range h.ancestors() {
		dir, err := h.createIn(parent, name)
		if err == nil {
			return dir, nil
		}
		refusals = append(refusals, err)
	}
	return "", fmt.Errorf("found no control group (%s) in which CPU time may be limited: %w", h.version, errors.Join(refusals...))
}

func (h *hierarchy) createIn(parent, name string) (dir string, err error) {
	if h.version == "v2" {
		if err := handDown(parent); err != nil {
			return "", err
		}
	}
	dir = filepath.Join(parent, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	if h.version == "v2" {
		if err := handDown(dir); err != nil {
			return "", errors.Join(err, os.Remove(dir))
		}
	}
	return dir, nil
}

// handDown has a group of version 2 give the cpu controller to its children.
func handDown(dir string) error {
	file := filepath.Join(dir, "cgroup.subtree_control")
	has, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if slices.Contains(strings.Fields(string(has)), "cpu") {
		return nil
	}
	return write(file, "+cpu")
}

// write writes a control file, which is there already.
func write(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
