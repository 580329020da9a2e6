package submode

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// plain are the submodes without a datapath on the DPU.
func plain() []*datapath {
	return []*datapath{
		{name: "none", target: Linux, submodes: []string{OffPath}, is: "host and DPU are peers on the network"},
		{name: "cable", target: Linux, submodes: []string{Direct}, is: "a cable between the hosts, nothing on it"},
	}
}

// checks look at what every datapath between two interfaces needs.
func (s *site) checks() []Step {
	if !OnPath(s.cfg.Submode) || s.cfg.Target != Linux {
		return nil
	}
	list := []Step{
		{
			Says: "root's rights over interfaces", Run: []string{"id", "-u"}, Want: is("0"),
			Else: "run dpukv as root",
		},
		{
			Says: "two interfaces, of one MTU, that nothing uses", Run: []string{"ip", "-d", "-j", "link", "show"}, Want: s.free,
			Else: "name the interfaces to forward between; free them of bridges and programs, or give dpukv two others",
		},
	}
	for _, port := range s.ports() {
		list = append(list, Step{
			Says: "no filter of somebody else on " + port, Run: []string{"tc", "filter", "show", "dev", port, "ingress"}, Want: nothing,
			Else: "tc qdisc del dev " + port + " ingress, if nobody needs it",
		})
	}
	return list
}

// link is what ip -j says of an interface.
type link struct {
	Name   string          `json:"ifname"`
	Flags  []string        `json:"flags"`
	MTU    int             `json:"mtu"`
	Others []string        `json:"altnames"`
	Master string          `json:"master"`
	XDP    json.RawMessage `json:"xdp"`
	Info   struct {
		Slave struct {
			State string `json:"state"`
		} `json:"info_slave_data"`
	} `json:"linkinfo"`
	Stats struct {
		RX packets `json:"rx"`
		TX packets `json:"tx"`
	} `json:"stats64"`
}

type packets struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`
	Dropped uint64 `json:"dropped"`
}

func links(out string) (map[string]link, error) {
	var list []link
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return nil, fmt.Errorf("ip -j: %w", err)
	}
	all := map[string]link{}
	for _, l := range list {
		all[l.Name] = l
	}
	return all, nil
}

func (s *site) free(out string) error {
	all, err := links(out)
	if err != nil {
		return err
	}
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, port := range s.ports() {
		switch l, ok := all[port]; {
		case !ok:
			return fmt.Errorf("found no interface %s, there are: %s", port, strings.Join(names, ", "))
		case l.Master != "":
			return fmt.Errorf("found %s in %s", port, l.Master)
		case l.XDP != nil:
			return fmt.Errorf("found an XDP program on %s", port)
		}
	}
	if a, b := all[s.ports()[0]].MTU, all[s.ports()[1]].MTU; a != b {
		return fmt.Errorf("found an MTU of %d on %s and %d on %s", a, s.ports()[0], b, s.ports()[1])
	}
	return nil
}

// common brings the ports up, and has them take what is for others.
func (s *site) common() []Step {
	if !OnPath(s.cfg.Submode) || s.cfg.Target != Linux {
		return nil
	}
	var list []Step
	for _, port := range s.ports() {
		list = append(list, setFlag(port, "up", "up", "down", "UP"), setFlag(port, "promisc on", "on", "off", "PROMISC"))
	}
	return list
}

// setFlag sets one of an interface's flags and restores it.
func setFlag(port, set, on, off, shown string) Step {
	words := append([]string{"ip", "link", "set", "dev", port}, strings.Fields(set)...)
	undo := append(slices.Clone(words[:len(words)-1]), AsFound)
	return Step{
		Says: port + " " + set, Run: words, Undo: undo, Port: port, Sets: on,
		Found: sh(`case "$(ip link show dev "$1")" in *[\<,]"$2"[,\>]*) echo "$3" ;; *) echo "$4" ;; esac`, port, shown, on, off),
	}
}

// stop ends the process of a PID file, if it is still the one that was started: its arguments name the folder.
func (s *site) stop(pidFile string) []string {
	return sh(`
pid=$(cat "$1/$2" 2>/dev/null) || exit 0
mark=$3
ours() { tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -e "$mark"; }
for signal in TERM KILL; do
	for i in $(seq 50); do
		ours || exit 0
		test "$i" != 1 || kill -s "$signal" "$pid"
		sleep 0.1
	done
done
echo "process $pid ($2) does not end" >&2
exit 1`, s.dir, pidFile, s.mark(pidFile))
}

// mark is in the arguments of what was started for this folder.
func (s *site) mark(pidFile string) string {
	if pidFile == testpmdPID {
		return "--file-prefix=" + s.prefix()
	}
	return "--pidfile=" + s.file(pidFile)
}

// execPatience is for a process that was just started: while it becomes another program, it has no command line.
const execPatience = time.Second

// runs wants the process of a PID file to be there.
func (s *site) runs(pidFile, what string) Step {
	return Step{
		Says: what + " runs",
		Run:  sh(`pid=$(cat "$1/$2") && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -cF -e "$3"`, s.dir, pidFile, s.mark(pidFile)), Want: is("1"),
		Within: execPatience,
		Else:   "see its log in " + s.dir + "; apply again",
	}
}

// program wants one to be in the PATH.
func program(name, pkg string) Step {
	return Step{Says: name, Run: sh(`command -v "$1"`, name), Else: "install Debian's " + pkg + ", or what your system calls it"}
}
