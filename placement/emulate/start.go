package emulate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start makes a testbed and returns when all its machines reach each other.
func Start(ctx context.Context, spec Spec) (*Lab, error) {
	l, err := start(ctx, &spec)
	if err != nil {
		return nil, fmt.Errorf("start the emulated testbed: %w", err)
	}
	return l, nil
}

func start(ctx context.Context, spec *Spec) (*Lab, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	m, err := newModel(spec)
	if err != nil {
		return nil, err
	}
	for _, tool := range []string{"nsenter", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%w: install util-linux, which has nsenter", err)
		}
	}
	command := spec.Keeper
	if command == nil {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = []string{self, "lab"}
	}
	rootless := !mayMakeNamespaces()
	p, err := startKeeper(command, rootless)
	if err != nil {
		return nil, explain(err, rootless)
	}
	l := &Lab{process: p, topology: newTopology(spec), model: m}
	l.shape(spec)
	l.topology.Quotas = m.quotas(spec)
	err = p.callContext(ctx, "Up", &l.topology.Plan, &l.Held)
	if err == nil {
		err = p.open(&l.Held)
	}
	if err != nil {
		if closeErr := p.Close(); closeErr != nil && closeErr.Error() != err.Error() {
			err = errors.Join(err, closeErr)
		}
		return nil, explain(err, rootless)
	}
	l.note(spec, rootless)
	return l, nil
}

// mayMakeNamespaces reports whether this process has the capabilities that the kernel requires:
// CAP_SYS_ADMIN for namespaces, and CAP_NET_ADMIN for their interfaces.
func mayMakeNamespaces() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&header, &data[0]) != nil {
		return false
	}
	const need = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN
	return data[0].Effective&need == need
}

// shape enforces the rates of ports. It shapes the wire and, behind an on-path DPU, also the host's
// cable: the packets that a datapath sends out of p0 may by-pass p0's queue.
func (l *Lab) shape(spec *Spec) {
	for i := range spec.Machines {
		m := &spec.Machines[i]
		if rate := l.model.rate(m.Name); m.Kind == Host && rate > 0 {
			for j := range l.topology.Links {
				link := &l.topology.Links[j]
				if l.topology.isPort(spec, link, m) && (link.RateBps == 0 || rate < link.RateBps) {
					link.RateBps = rate
				}
			}
		}
	}
}

// note records the facts of the lab that was made.
func (l *Lab) note(spec *Spec, rootless bool) {
	l.UserNamespace, l.Addresses = rootless, l.topology.addresses
	l.facts = Facts{
		UserNamespace: rootless, Cgroup: l.Held.Cgroup, MTU: spec.mtu(),
		Offloads: spec.offloads(),
	}
	for i := range spec.Machines {
		m := &spec.Machines[i]
		f := MachineFacts{
			Name: m.Name, Address: l.topology.addresses[m.Name],
			Interfaces: l.topology.interfaces(m.Name), Profile: NoProfile,
			LinkGbps: float64(l.topology.rateOf(spec, m)) / 1e9,
		}
		if p := l.model.profiles[m.Name]; p != nil {
			set := l.Held.Groups[m.Name]
			f.Profile, f.Cores, f.CoreStrength = p.Name, p.Cores, p.CoreStrength
			f.QuotaCPUs, f.PeriodNs = set.CPUs, set.PeriodNs
			f.Notes = p.notes(p.Cores, f.LinkGbps)
		}
		l.facts.Machines, l.Machines = append(l.facts.Machines, f), append(l.Machines, m.Name)
	}
}

// explain adds the cause of a refusal by the kernel.
func explain(err error, rootless bool) error {
	refused := errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EUSERS) || errors.Is(err, syscall.EINVAL) ||
		strings.Contains(err.Error(), unix.EPERM.Error())
	groups := strings.Contains(err.Error(), "control group")
	switch {
	case groups && rootless:
		return fmt.Errorf("%w\nCPU time of DPUs is limited by control groups, which are not this "+
			"user's to make here. Run as root, or with profile: %s, or, under systemd, in a scope "+
			"of your own: %s", err, NoProfile, delegated)
	case groups:
		return fmt.Errorf("%w\nCPU time of DPUs is limited by control groups: mount them "+
			"writable, or use profile: %s", err, NoProfile)
	case refused && rootless:
		return fmt.Errorf("%w\nThis user has to make namespaces in a user namespace, which the "+
			"kernel refuses; see the sysctls user.max_user_namespaces, "+
			"kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns, "+
			"or run as root, in a container with the capabilities SYS_ADMIN and NET_ADMIN", err)
	}
	return err
}

// delegated is a command that gives a user a control group. dpukv runs in a leaf of it, as version
// 2 requires.
const delegated = `systemd-run --user --scope -p Delegate=yes sh -c 'g=/sys/fs/cgroup$(sed s/0::// /proc/self/cgroup); ` +
	`mkdir $g/dpukv && echo $$ >$g/dpukv/cgroup.procs && exec dpukv …'`
