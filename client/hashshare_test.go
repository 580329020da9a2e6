package client

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"dpukv/hashbench"
	"dpukv/kvs"
)

func stack(innermostFirst ...string) *profile.Sample {
	s := &profile.Sample{Value: []int64{1, 10_000_000}}
	for _, name := range innermostFirst {
		s.Location = append(s.Location,
			&profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
	}
	return s
}

func TestIsHashing(t *testing.T) {
	const hash, prepare, generate = "dpukv/client.(*thread).hash", "dpukv/client.(*thread).prepare",
		"dpukv/client.(*loader).generate"
	for _, test := range []struct {
		stack []string
		want  bool
	}{
		{[]string{"dpukv/hashbench/tuned.City64", hash, prepare, generate}, true},
		{[]string{"github.com/cespare/xxhash/v2.Sum64", hash, prepare, generate}, true},
		{[]string{
			"crypto/md5.block", "crypto/md5.Sum", "dpukv/hashbench.md5Sum", "dpukv/hashbench.of128.func1", hash,
			prepare, generate,
		}, true},
		{[]string{"dpukv/client.anyFunction", hash, prepare, generate}, true},
		{[]string{hash, prepare, generate}, false},
		{[]string{"dpukv/load.FillKey", "dpukv/client.(*thread).describe", prepare, generate}, false},
		{
			[]string{
				"dpukv/hashbench/tuned.City64", "dpukv/kvs/herd.(*session).Submit", "dpukv/client.(*thread).submit",
			},
			false,
		},
		{nil, false},
	} {
		if got := isHashing(stack(test.stack...)); got != test.want {
			t.Errorf("%q: %v", test.stack, got)
		}
	}
}

// TestProfiledAlike: a load that hashes nothing is profiled as well. Otherwise a store whose clients
// hash would pay for the profile, and one whose clients do not would not.
func TestProfiledAlike(t *testing.T) {
	for _, hash := range []string{hashbench.Default, kvs.NoHash} {
		r := newFakeRemote()
		leakFree(t, r)
		r.facts.Hash = ""
		cfg := periodLoad(t)
		cfg.Hash = hash
		profiled := false
		cfg.OnProgress = func(p Progress) {
			if p.Phase == PhaseMeasure && p.Elapsed > 0 && !profiled {
				err := pprof.StartCPUProfile(io.Discard)
				profiled = err != nil
				if err == nil {
					pprof.StopCPUProfile()
				}
			}
		}
		if p := mustRun(t, r, cfg).Point; !profiled || (p.ClientHashShareBy == "") != (hash == kvs.NoHash) {
			t.Errorf("%s: profiled %v, share by %q", hash, profiled, p.ClientHashShareBy)
		}
	}
}

// TestEstimateSaysSo: a point names a profile that is too short or unavailable.
func TestEstimateSaysSo(t *testing.T) {
	var none hashProfile
	if got := none.share(0.25); got.share != 0.25 || got.samples != 0 || !strings.HasPrefix(got.how, byEstimate) ||
		!strings.Contains(got.how, "no samples") {
		t.Errorf("%+v", got)
	}
	var h, second hashProfile
	h.start()
	second.start()
	second.stop()
	time.Sleep(time.Millisecond)
	h.stop()
	if h.err != nil {
		t.Skip("this process is being profiled: ", h.err)
	}
	if got := h.share(0.25); got.share != 0.25 || !strings.Contains(got.how, "allowed: 100 or more; run longer") {
		t.Errorf("%+v", got)
	}
	if got := second.share(0.25); got.share != 0.25 || !strings.Contains(got.how, "profiling already in use") {
		t.Errorf("%+v", got)
	}
}

// slowHash takes microseconds, so that most of the load is hashing.
func slowHash(key []byte) uint64 {
	sum := sha256.Sum256(key)
	for range 30 {
		sum = sha256.Sum256(sum[:])
	}
	return binary.LittleEndian.Uint64(sum[:])
}

// TestHashShare: for a load that mostly hashes, samples and check agree, and both see it.
func TestHashShare(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	if raceEnabled {
		t.Skip("under the race detector more than half of a hash's time goes into the detector's own C code, " +
			"whose samples have no Go stack that leads to the hash function")
	}
	r := newFakeRemote()
	leakFree(t, r)
	cfg := periodLoad(t)
	cfg.hash = hashbench.Func{Name: r.Facts().Hash, Sum64: slowHash}
	cfg.Duration = 2500 * time.Millisecond
	cfg.CheckHash = true
	var phases []Phase
	cfg.OnProgress = func(p Progress) { phases = append(phases, p.Phase) }
	p := mustRun(t, r, cfg).Point
	t.Logf("%v by %s of %d samples, %v by hashing beforehand", p.ClientHashShare, p.ClientHashShareBy,
		p.ClientHashSamples, p.ClientHashShareCheck)
	if p.ClientHashSamples < minHashSamples {
		t.Skipf("%d samples: the machine is too busy for the load to get its CPU time", p.ClientHashSamples)
	}
	if p.ClientHashShareBy != bySampling || p.ClientHashShare < 0.3 || p.ClientHashShareCheck < 0.3 {
		t.Errorf("the share of hashing is %v by %q, %v by the check: most of it is hashing", p.ClientHashShare,
			p.ClientHashShareBy, p.ClientHashShareCheck)
	}
	if math.Abs(p.ClientHashShare-p.ClientHashShareCheck) > 0.3 {
		t.Errorf("%v by sampling, %v by hashing beforehand", p.ClientHashShare, p.ClientHashShareCheck)
	}
	if !slices.Contains(phases, PhaseHash) {
		t.Errorf("phases %v", phases)
	}
}

// TestHashCheckAfterFullWindows: the load's last request, which had no room, is not sent by the
// check with another key's bytes.
func TestHashCheckAfterFullWindows(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	r.latency = time.Millisecond
	cfg := smallLoad(t)
	cfg.CheckHash = true
	if p := mustRun(t, r, cfg).Point; p.Errors != 0 {
		t.Errorf("%d errors", p.Errors)
	}
}

// TestWrongValueInHashCheckFails: a wrong answer during the check of the hash share fails the
// point, as under load.
func TestWrongValueInHashCheckFails(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	cfg := smallLoad(t)
	cfg.CheckHash = true
	cfg.OnProgress = func(p Progress) {
		if p.Phase == PhaseHash {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.faults.flipAt = r.stats.Ops + 1000
		}
	}
	res := mustFail(t, r, cfg, "hash: ", "1 of ", "does not belong to this key")
	if res.Point.Errors != 1 {
		t.Errorf("%d errors", res.Point.Errors)
	}
}
