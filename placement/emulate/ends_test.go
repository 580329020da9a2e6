package emulate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/test/must"
	"dpukv/placement/emulate/keeper"
)

// world lists the possible leftovers of one lab. Other labs run on this machine too.
type world struct {
	keeper     int
	namespaces []uint64
	groups     []string // of labs
	tmp        string
	// holders are the processes and paths that held the namespaces while the lab lived. The kernel
	// reuses inodes at once, so other processes may have namespaces with the same inodes by now.
	// Another package's tests keep theirs for a minute.
	holders map[string]bool
}

// holderOf returns the process of a path below /proc, or the path of a name.
func holderOf(path string) string {
	rest, inProc := strings.CutPrefix(path, "/proc/")
	if !inProc {
		return path
	}
	pid, _, _ := strings.Cut(rest, "/")
	return pid
}

// parts records the parts of a lab while it lives.
func parts(t *testing.T, keeperPID int, tmp string) world {
	t.Helper()
	w := world{keeper: keeperPID, tmp: tmp}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", keeperPID))
	if err != nil || len(fds) == 0 {
		t.Fatalf("no open files of the keeper %d: %v", keeperPID, err)
	}
	for _, fd := range fds {
		if target, _ := os.Readlink(fd); strings.HasPrefix(target, "net:[") {
			w.namespaces = append(w.namespaces, inodeOf(fd))
		}
	}
	w.groups = groupsOf(keeperPID)
	w.holders = map[string]bool{}
	for _, path := range w.ways() {
		w.holders[holderOf(path)] = true
	}
	return w
}

// groupsOf returns the control groups of a keeper's lab, wherever it was allowed to make them.
func groupsOf(keeperPID int) []string {
	var groups []string
	filepath.WalkDir("/sys/fs/cgroup", func(path string, _ fs.DirEntry, err error) error {
		if ours, _ := filepath.Match(fmt.Sprintf("dpukv-lab-*-%d-*", keeperPID), filepath.Base(path)); err == nil &&
			ours {
			groups = append(groups, path)
			return filepath.SkipDir
		}
		return nil
	})
	return groups
}

func inodeOf(path string) uint64 {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0
	}
	return st.Ino
}

// ways returns the paths that lead to the namespaces' inodes, including paths of other processes.
func (w *world) ways() []string {
	var found []string
	for _, pattern := range []string{
		"/proc/[0-9]*/ns/net", "/proc/[0-9]*/task/*/ns/net", "/proc/[0-9]*/fd/*",
		"/run/netns/*",
	} {
		paths, _ := filepath.Glob(pattern)
		for _, p := range paths {
			if strings.Contains(p, "/fd/") {
				if target, _ := os.Readlink(p); !strings.HasPrefix(target, "net:[") {
					continue
				}
			}
			if slices.Contains(w.namespaces, inodeOf(p)) {
				found = append(found, p)
			}
		}
	}
	return found
}

// remains lists the leftovers.
func (w *world) remains() []string {
	var left []string
	if err := unix.Kill(w.keeper, 0); w.keeper > 0 && err == nil {
		left = append(left, fmt.Sprintf("keeper %d", w.keeper))
	}
	for _, path := range w.ways() {
		if w.holders[holderOf(path)] {
			left = append(left, path)
		}
	}
	for _, group := range w.groups {
		if _, err := os.Stat(group); err == nil {
			left = append(left, group)
		}
	}
	if w.tmp != "" {
		files, _ := filepath.Glob(filepath.Join(w.tmp, "*"))
		left = append(left, files...)
	}
	return left
}

func (w *world) mustVanish(t *testing.T) {
	t.Helper()
	var left []string
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if left = w.remains(); len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left behind: %s", strings.Join(left, ", "))
		}
	}
}

// started is an owner in a process of its own, with its lab.
type started struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	stderr   bytes.Buffer
	Facts    Facts               `json:"facts"`
	Prefixes map[string][]string `json:"prefixes"`
	world
}

// startOwner returns once the lab is up and runs a sleep on each machine.
func startOwner(t *testing.T, spec Spec, prepare func(*exec.Cmd)) *started {
	t.Helper()
	s := &started{cmd: exec.Command(owner, "start")}
	tmp := t.TempDir()
	os.Chmod(tmp, 0o777)
	s.cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	s.cmd.Stderr = &s.stderr
	if prepare != nil {
		prepare(s.cmd)
	}
	s.in, _ = s.cmd.StdinPipe()
	out, _ := s.cmd.StdoutPipe()
	must.Do(t, s.cmd.Start())
	json.NewEncoder(s.in).Encode(spec)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		s.cmd.Wait()
		t.Fatal(s.stderr.String())
	}
	must.Do(t, json.Unmarshal(line, s))
	s.world = parts(t, s.keeperPID(t), tmp)
	if len(s.namespaces) != len(spec.Machines)+2 {
		t.Fatalf("%d namespaces for %d machines and two cards", len(s.namespaces), len(spec.Machines))
	}
	return s
}

// keeperPID reads the keeper's PID from the commands.
func (s *started) keeperPID(t *testing.T) int {
	t.Helper()
	var pid, fd int
	for _, prefix := range s.Prefixes {
		for _, word := range prefix {
			if n, _ := fmt.Sscanf(word, "--net=/proc/%d/fd/%d", &pid, &fd); n == 2 {
				return pid
			}
		}
	}
	t.Fatalf("no keeper in %v", s.Prefixes)
	return 0
}

// TestEnds: after any kind of end, nothing of the lab is left.
func TestEnds(t *testing.T) {
	needLab(t)
	for name, end := range map[string]func(s *started){
		"closed":                func(s *started) { s.in.Close() },
		"owner told to end":     func(s *started) { s.cmd.Process.Signal(syscall.SIGTERM) },
		"owner killed":          func(s *started) { s.cmd.Process.Kill() },
		"keeper told to end":    func(s *started) { unix.Kill(s.keeper, unix.SIGTERM); s.in.Close() },
		"keeper's terminal":     func(s *started) { unix.Kill(s.keeper, unix.SIGHUP); s.in.Close() },
		"keeper killed":         func(s *started) { unix.Kill(s.keeper, unix.SIGKILL); s.in.Close() },
		"owner stopped, killed": func(s *started) { s.cmd.Process.Signal(syscall.SIGSTOP); s.cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startOwner(t, study("bf2"), nil)
			if len(s.groups) == 0 {
				t.Fatal("no control group to see vanish")
			}
			end(s)
			s.cmd.Wait()
			s.mustVanish(t)
		})
	}
}

// TestBothKilled: with owner and keeper dead, the groups stay until the next lab starts.
func TestBothKilled(t *testing.T) {
	needLab(t)
	s := startOwner(t, study("bf2"), nil)
	// The keeper dies first, so that it does not see the owner's end.
	unix.Kill(s.keeper, unix.SIGKILL)
	s.cmd.Process.Kill()
	s.cmd.Wait()
	if left := s.remains(); len(s.groups) == 0 || !slices.Contains(left, s.groups[0]) {
		t.Logf("left of %v: %v; another lab on this machine was first to remove the rest", s.groups, left)
	}
	startLab(t, study("bf1"))
	s.mustVanish(t)
}

// TestKilledHalfway kills the keeper at any moment of making a lab.
func TestKilledHalfway(t *testing.T) {
	needLab(t)
	spec := study("bf3")
	spec.Keeper = []string{owner, "lab"}
	start := time.Now()
	if l, err := Start(t.Context(), spec); err != nil || l.Close() != nil {
		t.Fatal(err)
	}
	whole := time.Since(start)
	all := world{holders: map[string]bool{}}
	kills := 12
	if testing.Short() {
		kills = 4
		t.Log("a short run: 4 are killed")
	}
	for range kills {
		cmd := exec.Command(owner, "lab")
		in, _ := cmd.StdinPipe()
		must.Do(t, cmd.Start())
		plan := newTopology(&spec).Plan
		plan.Quotas = []keeper.Quota{{Space: "dpu-a", CPUs: 1}, {Space: "dpu-b", CPUs: 1}}
		json.NewEncoder(in).Encode(map[string]any{"method": "Lab.Up", "params": []any{plan}, "id": 1})
		time.Sleep(rand.N(whole))
		w := parts(t, cmd.Process.Pid, "")
		cmd.Process.Kill()
		cmd.Wait()
		all.namespaces = append(all.namespaces, w.namespaces...)
		all.groups = append(all.groups, w.groups...)
		maps.Copy(all.holders, w.holders)
	}
	must.Do(t, keeper.Sweep())
	all.mustVanish(t)
	t.Logf("%d were killed, with %d namespaces and %d control groups", kills, len(all.namespaces), len(all.groups))
}

// TestOwnerKilledHalfway kills the owner at any moment of a start, while replies are on their way
// to it.
func TestOwnerKilledHalfway(t *testing.T) {
	needLab(t)
	var all []world
	kills := 10
	if testing.Short() {
		kills = 3
		t.Log("a short run: 3 are killed")
	}
	for range kills {
		cmd := exec.Command(owner, "start")
		in, _ := cmd.StdinPipe()
		must.Do(t, cmd.Start())
		json.NewEncoder(in).Encode(study("bf2"))
		keeperPID := keeperOf(cmd.Process.Pid)
		for ; keeperPID == 0; keeperPID = keeperOf(cmd.Process.Pid) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(rand.N(30 * time.Millisecond))
		all = append(all, parts(t, keeperPID, ""))
		cmd.Process.Kill()
		cmd.Wait()
	}
	for _, w := range all {
		w.mustVanish(t)
	}
}

// keeperOf returns the keeper that an owner started; 0: not yet.
func keeperOf(pid int) int {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		children, _ := os.ReadFile(file)
		for child := range strings.FieldsSeq(string(children)) {
			if argv, _ := os.ReadFile("/proc/" + child + "/cmdline"); string(argv) == owner+"\x00lab\x00" {
				n, _ := strconv.Atoi(child)
				return n
			}
		}
	}
	return 0
}

// TestCancelled: a cancelled start leaves nothing, and its error gives the reason.
func TestCancelled(t *testing.T) {
	needLab(t)
	spec := study("bf2")
	pidFile := filepath.Join(t.TempDir(), "pid")
	spec.Keeper = []string{"sh", "-c", `echo $$ >"$1" && exec "$0" lab`, owner, pidFile}
	for _, timeout := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		l, err := Start(ctx, spec)
		if err == nil {
			t.Logf("a lab was there within %v", timeout)
			must.Do(t, l.Close())
		} else if !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
			t.Errorf("after %v: %v", timeout, err)
		}
		cancel()
		text, _ := os.ReadFile(pidFile)
		w := world{}
		if w.keeper, _ = strconv.Atoi(strings.TrimSpace(string(text))); w.keeper > 0 {
			w.groups = groupsOf(w.keeper)
		}
		if left := w.remains(); len(left) > 0 {
			t.Errorf("after %v: left behind: %v", timeout, left)
		}
	}
}

// TestKeeperGone: calls to a lab that is gone fail, and say why.
func TestKeeperGone(t *testing.T) {
	needLab(t)
	spec := study("bf2")
	spec.Keeper = []string{owner, "lab"}
	l := must.Get(Start(t.Context(), spec))(t)
	w := parts(t, l.Held.PID, "")
	unix.Kill(l.Held.PID, unix.SIGKILL)
	<-l.Done()
	_, err := l.Counters("host-a")
	want := fmt.Sprintf("its keeper (PID %d) ended: signal: killed", l.Held.PID)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	for range 2 {
		if err := l.Close(); err == nil || !strings.Contains(err.Error(), "signal: killed") {
			t.Errorf("got %v", err)
		}
	}
	w.mustVanish(t)
}

// TestNoKeeper: the keeper's command starts no keeper.
func TestNoKeeper(t *testing.T) {
	for _, command := range [][]string{{"/nowhere/dpukv", "lab"}, {"false"}, {"true"}} {
		spec := study(NoProfile)
		spec.Keeper = command
		if _, err := Start(t.Context(), spec); err == nil {
			t.Errorf("%v made a lab", command)
		} else {
			t.Log(err)
		}
	}
}
