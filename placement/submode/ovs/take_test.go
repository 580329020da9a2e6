package ovs

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/placement/submode/step"
)

// TestTakePort takes a port out of a bridge of a real Open vSwitch's database and puts it back, with
// its options. No switch runs beside the database, so ports have no OpenFlow numbers.
func TestTakePort(t *testing.T) {
	node := database(t)
	do := func(words string) string {
		t.Helper()
		out := must.Get(node.Run(t.Context(), append([]string{"ovs-vsctl", "--no-wait"}, strings.Fields(words)...)))(t)
		return strings.TrimSpace(out)
	}
	do("add-br ovsbr1 -- set bridge ovsbr1 datapath_type=netdev")
	do("add-port ovsbr1 p0 tag=7 other_config:x=y -- set interface p0 type=dpdk mtu_request=9216 " +
		`options:dpdk-devargs="0000:03:00.0,dv_flow_en=1" external_ids:a="b"`)
	do("add-br dpukv0")
	const columns = "tag=7 type=dpdk mtu_request=9216 ofport_request=[]"
	before := rows(t, node, "p0")
	s := Switch{Bridge: "dpukv0"}.TakePort("p0")
	record := apply(t, node, s)
	if record == nil || do("list-ports ovsbr1") != "" {
		t.Fatalf("found record %v and ports %q of ovsbr1, want a record and none", record, do("list-ports ovsbr1"))
	}
	do("add-port dpukv0 p0")
	if again, err := s.Record(t.Context(), node); err != nil || again != nil {
		t.Errorf("in our bridge: found %v, %v, want nothing to undo", again, err)
	}
	do("del-br dpukv0")
	must.Do(t, record.Do(t.Context(), node))
	if got := do("port-to-br p0"); got != "ovsbr1" {
		t.Errorf("it is in %s, want ovsbr1", got)
	}
	if after := rows(t, node, "p0"); after != before {
		t.Errorf("put back as\n%s\nwant\n%s (%s)", after, before, columns)
	}
	// somebody put it elsewhere, or removed the bridge: it is left alone
	record = apply(t, node, s)
	do("add-br theirs -- add-port theirs p0")
	if err := record.Do(t.Context(), node); err != nil || do("port-to-br p0") != "theirs" {
		t.Errorf("found %v and it in %s, want it left alone", err, do("port-to-br p0"))
	}
	do("del-port theirs p0 -- del-br ovsbr1")
	if err := record.Do(t.Context(), node); err != nil {
		t.Errorf("without its bridge: %v", err)
	}
}

// TestTakePortRefuses: a bond and a mirror can't be put back.
func TestTakePortRefuses(t *testing.T) {
	for words, want := range map[string]string{
		"add-br b -- add-bond b bond0 p0 p1":                                                   "in a bond of bridge",
		"add-br b -- add-port b p0 -- --id=@m create mirror name=m -- set bridge b mirrors=@m": "found a mirror",
	} {
		node := database(t)
		argv := append([]string{"ovs-vsctl", "--no-wait"}, strings.Fields(words)...)
		must.Get(node.Run(t.Context(), argv))(t)
		s := Switch{Bridge: "dpukv0"}.TakePort("p0")
		if _, err := s.Record(t.Context(), node); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, want %q", words, err, want)
		}
	}
	dead := database(t)
	stop(t, dead)
	s := Switch{Bridge: "dpukv0"}.TakePort("p0")
	if u, err := s.Record(t.Context(), dead); err == nil {
		t.Errorf("without a database: found %v, want an error", u)
	}
}

func apply(t *testing.T, n step.Node, s step.Step) *step.UndoRecord {
	t.Helper()
	record, err := s.Record(t.Context(), n)
	if err == nil {
		err = s.Do(t.Context(), n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func rows(t *testing.T, n step.Node, port string) string {
	t.Helper()
	out, err := n.Run(t.Context(), step.Shell(portState, port, "", strings.Join(portColumns, " "),
		strings.Join(interfaceColumns, " ")))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// database starts a database of Open vSwitch. ovs-vsctl of the node's commands takes it, and waits
// for no switch.
func database(t *testing.T) step.Node {
	t.Helper()
	vsctl := programs.Need(t, "ovs-vsctl", "ovsdb-tool", "ovsdb-server")
	dir := t.TempDir()
	shim := fmt.Sprintf("#!/bin/sh\nexec %s --db=unix:%s/db.sock --no-wait \"$@\"\n", vsctl, dir)
	must.Do(t, os.WriteFile(dir+"/ovs-vsctl", []byte(shim), 0o755))
	path := "PATH=" + dir + ":" + os.Getenv("PATH")
	node := step.Via(dir, func(argv []string) ([]string, error) {
		return append([]string{"env", path}, argv...), nil
	})
	must.Get(node.Run(t.Context(), step.Shell(`
cd "$1"
ovsdb-tool create conf.db "$2"
OVS_RUNDIR=$1 ovsdb-server --detach --no-chdir --pidfile="$1/server.pid" --unixctl="$1/server.ctl" \
	--remote=punix:"$1/db.sock" -vconsole:off "$1/conf.db"
ovs-vsctl init`, dir, Schema)))(t)
	t.Cleanup(func() { stop(t, node) })
	return node
}

func stop(t *testing.T, n step.Node) {
	t.Helper()
	if _, err := n.Run(context.Background(), step.Shell(`
pid=$(cat "$1/server.pid" 2>/dev/null) || exit 0
kill "$pid" || exit
# Nobody may wait for the process: then it stays, dead.
while grep -qs '^State:[[:space:]]*[^Z[:space:]]' "/proc/$pid/status"; do sleep 0.05; done`, n.Name)); err != nil {
		t.Error(err)
	}
}
