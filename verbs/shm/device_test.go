package shm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"dpukv/internal/test/must"
	"dpukv/verbs"
)

const childVariable = "SHM_TEST_CHILD"

// told is the information that the two processes of these tests exchange, one line each way.
type told struct {
	UC, UD verbs.Endpoint
	Region verbs.Region
}

// child is another process with a device. It repeatedly writes a counter into the first word of the
// parent's memory, and sends the same numbers as datagrams. It ends when it is killed or its input
// ends.
func child() error {
	d, err := Open(Config{})
	if err != nil {
		return err
	}
	defer d.Close()
	pd, _ := d.AllocPD()
	cq, _ := d.CreateCQ(16)
	uc, err := pd.CreateQP(verbs.QPConfig{Type: verbs.UC, SendCQ: cq, RecvCQ: cq})
	if err != nil {
		return err
	}
	ud, err := pd.CreateQP(verbs.QPConfig{Type: verbs.UD, SendCQ: cq, RecvCQ: cq, QKey: 7})
	if err != nil {
		return err
	}
	mr, err := pd.AllocMR(4096, verbs.LocalWrite|verbs.RemoteWrite)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(told{uc.Local(), ud.Local(), mr.Region()}); err != nil {
		return err
	}
	in := bufio.NewReader(os.Stdin)
	var parent told
	if err := json.NewDecoder(in).Decode(&parent); err != nil {
		return err
	}
	if err := uc.Connect(parent.UC); err != nil {
		return err
	}
	ah, err := pd.CreateAH(parent.UD)
	if err != nil {
		return err
	}
	if err := ud.Connect(parent.UD); err != nil {
		return err
	}
	var over atomic.Bool
	go func() { _, _ = io.Copy(io.Discard, in); over.Store(true) }()
	word := (*uint64)(unsafe.Pointer(&mr.Bytes()[0]))
	local := verbs.SGE{Addr: mr.Addr(), Length: 64, LKey: mr.LKey()}
	for !over.Load() {
		*word++
		for i := range 8 { // the word that is written last says what all others must be
			*(*uint64)(unsafe.Add(unsafe.Pointer(word), 8*i)) = *word
		}
		if _, err := uc.PostSend([]verbs.SendWR{{
			Op: verbs.OpWrite, Local: local, Remote: parent.Region.Addr,
			RKey: parent.Region.RKey,
		}}); err != nil {
			return err
		}
		if _, err := ud.PostSend([]verbs.SendWR{{
			Op: verbs.OpSendImm, Imm: uint32(*word), Local: local, AH: ah.Handle(), QPN: parent.UD.QPN, QKey: 7,
		}}); err != nil {
			return err
		}
	}
	return nil
}

// TestChild is the other process.
func TestChild(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		t.Skip("is run by the other tests")
	}
	if err := child(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// startChild starts it and connects to it.
func startChild(t *testing.T, uc, ud *end) (kill func(), in io.Closer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChild$")
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stderr = os.Stderr
	stdin := must.Get(cmd.StdinPipe())(t)
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	var peer told
	must.Do(t, json.NewDecoder(stdout).Decode(&peer))
	must.Do(t, uc.qp.Connect(peer.UC))
	must.Do(t, json.NewEncoder(stdin).Encode(told{uc.qp.Local(), ud.qp.Local(), uc.mr.Region()}))
	return func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }, stdin
}

// watchWords watches the child's writes for a while: the words before the last one must never be
// older than the last one.
func watchWords(t *testing.T, memory []byte) {
	t.Helper()
	first := (*uint64)(unsafe.Pointer(&memory[0]))
	last := (*uint64)(unsafe.Pointer(&memory[56]))
	seen := uint64(0)
	for deadline := time.Now().Add(10 * time.Second); seen < 100_000 || seen == 0; {
		end := atomic.LoadUint64(last)
		begin := atomic.LoadUint64(first)
		if begin < end || end < seen {
			t.Fatalf("the last word says %d, the first %d, before it was %d", end, begin, seen)
		}
		if seen = end; time.Now().After(deadline) {
			t.Skipf("only %d writes in 10 s", seen)
		}
	}
}

// TestAcrossProcesses lets another process write and send to this one, and kills it. Nothing here
// notices, except that no more arrives. Its track becomes free for the next one, and its files are
// gone.
func TestAcrossProcesses(t *testing.T) {
	d := openDevice(t)
	ud := newEnd(t, d, verbs.UD, 1024)
	must.Do(t, ud.qp.Connect(verbs.Endpoint{}))
	for i := range 512 {
		ud.receive(t, i*104, 104)
	}
	for range udTracks + 2 { // more than there are tracks
		uc := newEnd(t, d, verbs.UC, 0)
		kill, in := startChild(t, uc, ud)
		watchWords(t, uc.mr.Bytes())
		count := 0
		wcs := make([]verbs.WC, 64)
		for deadline := time.Now().Add(10 * time.Second); count < 100; {
			n := must.Get(ud.cq.Poll(wcs))(t)
			for _, wc := range wcs[:n] {
				ud.receive(t, int(wc.ID), 104)
			}
			if count += n; time.Now().After(deadline) {
				t.Fatalf("%d datagrams, %v", count, d.Counters())
			}
		}
		kill()
		in.Close()
		for {
			n, _ := ud.cq.Poll(wcs)
			for _, wc := range wcs[:n] {
				ud.receive(t, int(wc.ID), 104)
			}
			if n == 0 {
				break
			}
		}
		// Messages to the dead process are lost. It has no queue pair to count at, but the mapping
		// still exists.
		uc.post(t, verbs.SendWR{Op: verbs.OpWrite, Local: uc.sge(0, 8), Remote: uc.mr.Addr(), RKey: uc.mr.RKey()})
		must.Do(t, uc.qp.Close())
	}
	if n := d.Counters()["no_lane"]; n > 0 {
		t.Errorf("no track %d times: those of the dead were not taken over", n)
	}
	for _, dir := range []string{"/dev/shm", os.TempDir()} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if strings.Contains(e.Name(), "dpukv-shm") {
				t.Errorf("%s/%s was left behind", dir, e.Name())
			}
		}
	}
}

// TestStaleHandle checks that a process or object with the number of an earlier one is not mistaken
// for it.
func TestStaleHandle(t *testing.T) {
	a := newEnd(t, openDevice(t), verbs.UC, 0)
	d := must.Get(Open(Config{}))(t)
	b := newEnd(t, d, verbs.UC, 0)
	gone := b.qp.Local()
	must.Do(t, d.Close())
	other := openDevice(t) // has the same descriptor now
	if other.handle.fd != d.handle.fd {
		t.Skipf("descriptor %d, not %d", other.handle.fd, d.handle.fd)
	}
	if err := a.qp.Connect(gone); err == nil {
		t.Error("connected")
	} else {
		t.Log(err)
	}
}
