package answer

import (
	"testing"

	"dpukv/results"
)

func TestOfReads(t *testing.T) {
	point := func(responder string, share, work float64) *results.Point {
		p := &results.Point{}
		p.Items = &results.Items{
			ReadShare: share, ReadsPerGet: 1.02, BytesPerGet: 522, Responder: responder, ServerWorkNsPerOp: work,
		}
		return p
	}
	for want, repeats := range map[string][]*results.Point{
		" With onesided, clients read 98.8 % of the GETs by themselves (1.02 READs and 522 B per GET), " +
			"and a READ takes no CPU of the server.": {
			point("nobody", 0.987, 0), point("nobody", 0.988, 0), point("nobody", 0.989, 0),
		},
		" With onesided, clients read 99.0 % of the GETs by themselves (1.02 READs and 522 B per GET), " +
			"and the server's threads answer READs in software." +
			" The server's workers had work for 310 ns per operation.": {point("software", 0.99, 310)},
		" With onesided, clients read 50.0 % of the GETs by themselves (1.02 READs and 522 B per GET), " +
			"and the server's kernel answers READs on its CPUs." +
			" The server's workers had work for 5.00 ns per operation.": {point("kernel", 0.5, 5)},
	} {
		if got := ofReads("onesided", repeats); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
