package cardreport

import (
	"os"
	"reflect"
	"testing"

	"dpukv/internal/test/transcript"
	"dpukv/placement/submode/card"
)

// TestParse reads the facts of a card from the outputs of its commands.
func TestParse(t *testing.T) {
	r := collect(t.Context(), fakeCard(t, nil), os.Geteuid())
	f := r.Parse()
	if len(f.Cards) != 1 {
		t.Fatalf("found the cards %+v, want one", f.Cards)
	}
	c := f.Cards[0]
	if c.PCI != pci || c.Current != card.DPU || c.NextBoot != card.Separated || c.Default != card.DPU ||
		c.ESwitch != "switchdev" || c.RoCE != "true" || c.ModeError != "" {
		t.Errorf("found the card %+v", c)
	}
	if f.PageBytes != 65536 || f.Kernel == "" || f.Memlock == "" {
		t.Errorf("found pages of %d, kernel %q, memlock %q", f.PageBytes, f.Kernel, f.Memlock)
	}
	if l := f.WithAddress("192.168.200.2"); l == nil || l.Name != "p0" || l.MTU != 9000 {
		t.Errorf("found the link %+v, want p0", l)
	}
	want := OVS{
		Version: "2.17.8-1d1af", Service: "openvswitch-switch", Config: `{doca-init="true", hw-offload="true"}`,
		Bridges: []Bridge{{"ovsbr1", "", []string{"p0", "pf0hpf", "en3f0pf0sf0"}}},
	}
	if os.Geteuid() == 0 {
		want.Datapaths = []string{"system@ovs-system"}
	}
	if !reflect.DeepEqual(f.OVS, want) || !f.OVS.Sets("doca-init") || f.OVS.Sets("dpdk-init") {
		t.Errorf("found %+v, want %+v", f.OVS, want)
	}
}

func TestPools(t *testing.T) {
	got := pools("hugepages-2048kB/nr_hugepages:512\nhugepages-524288kB/nr_hugepages:3\n" +
		"hugepages-2048kB/free_hugepages:500\nhugepages-524288kB/free_hugepages:0\nnonsense\n")
	if want := []Pool{{2 << 20, 512, 500}, {512 << 20, 3, 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("found %+v, want %+v", got, want)
	}
}

func TestGIDs(t *testing.T) {
	got := gids("mlx5_2/ports/1/gids/3 0000:0000:0000:0000:0000:ffff:c0a8:c802 RoCE_v2 enp3s0f0s0\n")
	want := []GID{{"mlx5_2", "0000:0000:0000:0000:0000:ffff:c0a8:c802", "RoCE v2", "enp3s0f0s0", 3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found %+v, want %+v", got, want)
	}
}

// FuzzParse: a node may print anything; reading it must not panic.
func FuzzParse(f *testing.F) {
	f.Add("INTERNAL_CPU_MODEL EMBEDDED_CPU(1) EMBEDDED_CPU(1) EMBEDDED_CPU(1)")
	f.Add(`[{"ifname":"p0","mtu":1500}]`)
	f.Add("system@ovs-system: hit:1")
	f.Fuzz(func(_ *testing.T, text string) {
		r := Report{Answers: []Answer{{Name: modeProbe + pci, Stdout: text}}}
		for _, p := range everywhere {
			r.Answers = append(r.Answers, Answer{Name: p.Name, Stdout: text})
		}
		r.Parse().Examine(&Role{DPU: true, Wire: "p0", Host: "pf0hpf", Address: text, PCI: pci})
		NewRedactor().Redact(&r)
	})
}

// TestParseTranscripts reads what cards, their driver and their switch print.
func TestParseTranscripts(t *testing.T) {
	const folder = "../submode/testdata/transcripts/undated/"
	r := Report{Answers: []Answer{
		{Name: modeProbe + pci},
		{Name: orderProbe + pci, Stdout: "RlxdOrd+\n"},
		{Name: configsProbe + pci, Stdout: "*  PCI_WR_ORDERING  per_mkey(0)  force_relax(1)  per_mkey(0)\n"},
	}}
	for name, file := range map[string]string{
		eswitchProbe + pci: "devlink-eswitch-show.txt",
		roceProbe + pci:    "devlink-param-enable_roce.txt",
		datapathProbe:      "dpif-show.txt",
	} {
		r.Answers = append(r.Answers, Answer{Name: name, Stdout: transcript.Read(t, folder+file)})
	}
	f := r.Parse()
	if c := f.Cards[0]; c.ESwitch != "switchdev" || c.RoCE != "true" {
		t.Errorf("found the card %+v", c)
	}
	if want := []string{"PCI_WR_ORDERING force_relax(1)", "RlxdOrd+"}; !reflect.DeepEqual(f.Cards[0].WriteOrder, want) {
		t.Errorf("found the order of WRITEs %q, want %q", f.Cards[0].WriteOrder, want)
	}
	if want := []string{"system@ovs-system"}; !reflect.DeepEqual(f.OVS.Datapaths, want) {
		t.Errorf("found the datapaths %q, want %q", f.OVS.Datapaths, want)
	}
}
