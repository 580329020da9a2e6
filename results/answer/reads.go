package answer

import (
	"fmt"

	"dpukv/internal/numfmt"
	"dpukv/kvs"
	"dpukv/results"
)

// ofReads says which share of the GETs the clients of a line read by themselves, and who paid for
// that at the server. It has medians of the repeats. The server's work is not always known.
func ofReads(label string, repeats []*results.Point) string {
	median := func(value func(*results.Items) float64) float64 {
		return results.SpreadBy(repeats, func(p *results.Point) float64 {
			if p.Items == nil {
				return 0
			}
			return value(p.Items)
		}).Median
	}
	text := fmt.Sprintf(" With %s, clients read %s %% of the GETs by themselves "+
		"(%s READs and %s B per GET), and %s.", label,
		numfmt.Digits3(100*median(func(i *results.Items) float64 { return i.ReadShare })),
		numfmt.Digits3(median(func(i *results.Items) float64 { return i.ReadsPerGet })),
		numfmt.Digits3(median(func(i *results.Items) float64 { return i.BytesPerGet })),
		whoReads(repeats[0].Items.Responder))
	if ns := median(func(i *results.Items) float64 { return i.ServerWorkNsPerOp }); ns > 0 {
		text += fmt.Sprintf(" The server's workers had work for %s ns per operation.",
			numfmt.Digits3(ns))
	}
	return text
}

func whoReads(responder string) string {
	switch responder {
	case kvs.ByNobody, kvs.ByNIC:
		return "a READ takes no CPU of the server"
	case kvs.ByKernel:
		return "the server's kernel answers READs on its CPUs"
	}
	return "the server's threads answer READs in software"
}
