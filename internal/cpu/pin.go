package cpu

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// process is the CPU mask from the start of this process or from PinProcess. It is kept here
// because every thread has a mask of its own, and any thread may have been pinned since.
var process struct {
	sync.Mutex
	cpus []int
	err  error
}

func init() { process.cpus, process.err = readMask() }

func readMask() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("read the CPU affinity: %w", err)
	}
	cpus := make([]int, 0, set.Count())
	for i := 0; len(cpus) < set.Count(); i++ {
		if set.IsSet(i) {
			cpus = append(cpus, i)
		}
	}
	return cpus, nil
}

// Allowed lists the CPUs that this process may run on, ascending. The masks of single pinned
// threads don't matter.
func Allowed() ([]int, error) {
	process.Lock()
	defer process.Unlock()
	return slices.Clone(process.cpus), process.err
}

// MayUse returns an error unless this process may use all of cpus.
func MayUse(cpus []int) error {
	allowed, err := Allowed()
	if err != nil {
		return err
	}
	for _, c := range cpus {
		if !slices.Contains(allowed, c) {
			return fmt.Errorf("pin to CPU %d: allowed for this process: %s", c, FormatList(allowed))
		}
	}
	return nil
}

// PinThread locks the calling goroutine to its thread and that thread to one CPU.
func PinThread(cpu int) error {
	runtime.LockOSThread()
	return pin(0, []int{cpu})
}

// Prepare pins the whole process, including the runtime's own threads, to the CPUs of its working
// threads. It does not pin to an empty list. It lets all working threads, and one for everything
// else, run Go at once; with more threads than CPUs, the kernel shares the CPUs out. The runtime's
// default would make the threads take turns, and changing it could pause a measurement.
func Prepare(cpus []int, threads int) error {
	runtime.GOMAXPROCS(threads + 1)
	if len(cpus) == 0 {
		return nil
	}
	return PinProcess(cpus)
}

// PinProcess keeps every thread of this process, and all later threads, on cpus. It also widens
// threads that [PinThread] pinned before. It is an error if the process can't have all of cpus: the
// kernel would silently grant only some of them. The granted CPUs stay in force.
func PinProcess(cpus []int) error {
	if err := pinAll(threads, cpus); err != nil {
		return err
	}
	process.Lock()
	defer process.Unlock()
	process.cpus, process.err = readMask()
	if process.err == nil &&
		!slices.Equal(process.cpus, slices.Compact(slices.Sorted(slices.Values(cpus)))) {
		return fmt.Errorf("pin to CPUs %s: the kernel allowed only %s", FormatList(cpus),
			FormatList(process.cpus))
	}
	return process.err
}

// pinRounds bounds the number of listings. A second list has few new threads: by then all threads
// of the first are pinned and create only pinned threads.
const pinRounds = 16

// pinAll pins the threads of list until list returns no new one. A thread that an unpinned thread
// created has the old mask.
func pinAll(list func() ([]int, error), cpus []int) error {
	pinned := map[int]bool{}
	for range pinRounds {
		tids, err := list()
		if err != nil {
			return fmt.Errorf("list this process's threads: %w", err)
		}
		tids = slices.DeleteFunc(tids, func(tid int) bool { return pinned[tid] })
		if len(tids) == 0 {
			return nil
		}
		for _, tid := range tids {
			if err := pin(tid, cpus); err != nil && err != unix.ESRCH { // gone since
				return err
			}
			pinned[tid] = true
		}
	}
	return fmt.Errorf("pin to CPUs %s: new threads appeared in each of %d "+
		"listings", FormatList(cpus), pinRounds)
}

// threads lists the threads of this process.
func threads() ([]int, error) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	var tids []int
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			return nil, fmt.Errorf("thread id %q: %w", task.Name(), err)
		}
		tids = append(tids, tid)
	}
	return tids, nil
}

func pin(tid int, cpus []int) error {
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	switch err := unix.SchedSetaffinity(tid, &set); err {
	case nil:
		return nil
	case unix.ESRCH:
		return err
	default:
		allowed, _ := Allowed()
		return fmt.Errorf("pin to CPUs %v: %w (allowed for this process: %v)", cpus, err, allowed)
	}
}
