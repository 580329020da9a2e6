package stream

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"dpukv/internal/foreign"
	"dpukv/internal/program"
)

const (
	name           = "iperf3" // and Debian's package
	versionTimeout = 5 * time.Second
	leastMajor     = 3
	// leastMinor is the version of Ubuntu 20.04, the oldest that DPUs come with.
	leastMinor = 7
	// threadedMinor is the first version with a thread for each connection.
	threadedMinor = 16
)

// iperf3 is the installed program.
type iperf3 struct {
	path         string
	major, minor int
}

// findIperf3 finds the program and asks it for its version.
func findIperf3() (iperf3, error) {
	path, err := program.Find(name, name, "leave out test: stream")
	if err != nil {
		return iperf3{}, err
	}
	var out foreign.Output
	p, err := program.Start(path, []string{"--version"}, nil, &out)
	if err != nil {
		return iperf3{}, err
	}
	select {
	case <-p.Ended():
	case <-time.After(versionTimeout):
		return iperf3{}, fmt.Errorf("%s --version gave no answer within %v: %w", path,
			versionTimeout, p.Stop())
	}
	if p.Err() != nil {
		return iperf3{}, p.Reason()
	}
	i := iperf3{path: path}
	if i.major, i.minor, err = parseVersion(string(out.Bytes())); err != nil {
		return i, fmt.Errorf("%s: %w", path, err)
	}
	return i, nil
}

var versionLine = regexp.MustCompile(`^iperf ([0-9]{1,4})\.([0-9]{1,4})\b`)

// parseVersion reads the output of iperf3 --version. It refuses a version that is too old.
func parseVersion(text string) (major, minor int, err error) {
	found := versionLine.FindStringSubmatch(text)
	if found == nil {
		return 0, 0, fmt.Errorf("version: found %q, allowed: iperf %d.%d or later; install the "+
			"package %s", foreign.Clip(text, 80), leastMajor, leastMinor, name)
	}
	major, _ = strconv.Atoi(found[1]) // at most four digits
	minor, _ = strconv.Atoi(found[2])
	if major < leastMajor || major == leastMajor && minor < leastMinor {
		return 0, 0, fmt.Errorf("version: found %s, allowed: iperf %d.%d or later; install a "+
			"newer package %s", found[0], leastMajor, leastMinor, name)
	}
	return major, minor, nil
}

// title is the program for the facts.
func (i *iperf3) title() string {
	threads := "single-threaded"
	if i.major > leastMajor || i.minor >= threadedMinor {
		threads = "a thread for each connection"
	}
	return fmt.Sprintf("iperf %d.%d, %s", i.major, i.minor, threads)
}
