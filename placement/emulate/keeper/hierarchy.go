package keeper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hierarchy is the tree of control groups with the cpu controller.
type hierarchy struct {
	version string // "v1", "v2"
	mount   string // where its top is mounted
	own     string // this process's group, below mount
}

// findHierarchy finds the tree through /proc/self.
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

// parseHierarchy prefers version 1 if it has the cpu controller, because version 2 has none then.
func parseHierarchy(mountinfo, groups string) (*hierarchy, error) {
	for _, v := range []struct{ version, fstype, controller string }{
		{"v1", "cgroup", "cpu"},
		{"v2", "cgroup2", ""},
	} {
		for line := range strings.Lines(mountinfo) {
			root, mount, ok := parseMount(line, v.fstype, v.controller)
			if !ok {
				continue
			}
			own, err := filepath.Rel(root, groupOf(groups, v.controller))
			if err != nil || own == ".." || strings.HasPrefix(own, "../") {
				own = "." // another container's mount: only its top is known
			}
			return &hierarchy{v.version, mount, own}, nil
		}
	}
	return nil, errors.New("control groups: found no mount with the cpu controller in " +
		"/proc/self/mountinfo")
}

// parseMount reads a line of proc_pid_mountinfo(5). The 4th and 5th fields are root and mount
// point. After a dash come type, source and the superblock's options, which include the
// controllers.
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

// unescape undoes mountinfo's escapes of blanks in a path.
func unescape(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}

// groupOf returns the process's group from /proc/self/cgroup: lines of "number:controllers:path".
func groupOf(groups, controller string) string {
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && slices.Contains(strings.Split(parts[1], ","), controller) {
			return parts[2]
		}
	}
	return "/"
}

// ancestors returns the folders in which a group may be made: this process's own, and upwards.
func (h *hierarchy) ancestors() []string {
	var dirs []string
	for g := filepath.Clean(h.own); ; g = filepath.Dir(g) {
		dirs = append(dirs, filepath.Join(h.mount, g))
		if g == "." || g == "/" {
			return dirs
		}
	}
}

// create makes a group whose children may have CPU quotas.
func (h *hierarchy) create(name string) (dir string, err error) {
	var refusals []error
	for _, parent := range h.ancestors() {
		dir, err := h.createIn(parent, name)
		if err == nil {
			return dir, nil
		}
		refusals = append(refusals, err)
	}
	return "", fmt.Errorf("found no control group (%s) in which CPU time may be limited: %w",
		h.version, errors.Join(refusals...))
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

// handDown makes a group of version 2 delegate the cpu controller to its children.
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

// write writes an existing control file.
func write(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
