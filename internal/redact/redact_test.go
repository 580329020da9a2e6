package redact

import "testing"

func TestLine(t *testing.T) {
	for line, want := range map[string]string{
		"":                                   "",
		"root=UUID=ab-12 quiet isolcpus=1-3": "root=UUID=ab-12 quiet isolcpus=1-3",
		"rd.luks.key=/root/k quiet":          "rd.luks.key=[redacted] quiet",
		"systemd.set_credential=a:b":         "systemd.set_credential=[redacted]",
		"ks=http://me:pw@host/ks.cfg":        "ks=http://[redacted]@host/ks.cfg",
		"dpukv sweep --password hunter2 --out runs/a": "dpukv sweep --password [redacted] --out runs/a",
		"dpukv --api-token=x --only key_bytes=8":      "dpukv --api-token=[redacted] --only key_bytes=8",
	} {
		if got := Line(line); got != want {
			t.Errorf("%q gave %q, want %q", line, got, want)
		}
	}
}
