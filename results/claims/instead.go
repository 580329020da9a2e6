package claims

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/results"
	"dpukv/results/columns"
)

// instead says for each doubt what the points that were used show.
var instead = map[string]func([]*results.Point) string{
	"udp": func(points []*results.Point) string {
		return "over " + each(points, func(p *results.Point) string {
			return strings.TrimSpace(p.Transport + " " + p.Provider)
		})
	},
	"preload": func(points []*results.Point) string {
		least := slices.MinFunc(points, func(a, b *results.Point) int {
			return cmpFloat(a.PreloadHitRate, b.PreloadHitRate)
		})
		return fmt.Sprintf("all keys preloaded, at least %.1f %% of them found", 100*least.PreloadHitRate)
	},
	"batch": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string {
			return fmt.Sprintf("batches of %d, %.0f operations and %.0f bytes a request frame, "+
				"over a stream that cuts them as it likes", p.Batch, p.OpsPerFrame, p.BytesPerFrame)
		})
	},
	"latency": perOperation,
	"window":  perOperation,
	"mtu": func(points []*results.Point) string {
		mtus := each(points, mtu)
		if mtus == "" {
			return "the points do not say their MTU"
		}
		return "an MTU of " + mtus
	},
	"timer": func([]*results.Point) string { return "nanoseconds" },
	"threads": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string { return fmt.Sprint(p.ClientThreads) }) + " client threads"
	},
}

func perOperation([]*results.Point) string {
	return "the mean over all operations, from the intended send to the answer"
}

// concerns reports whether a doubt about one store or submode is one about these points.
func concerns(doubt string, points []*results.Point) bool {
	has := func(test func(*results.Point) bool) bool { return slices.ContainsFunc(points, test) }
	switch doubt {
	case "udp", "preload", "batch", "latency":
		return has(func(p *results.Point) bool { return p.Store == "mica" })
	case "window":
		return has(func(p *results.Point) bool { return p.Store == "herd" })
	}
	return true
}

// each lists the different texts of points.
func each(points []*results.Point, text func(*results.Point) string) string {
	var list []string
	for _, p := range points {
		if t := text(p); t != "" && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return strings.Join(list, " and ")
}

// fields are those of a point that say what stood for the real part, under whatever name.
var fields = columns.All()

// mtu is that of a point, where it says it.
func mtu(p *results.Point) string { return field(p, "mtu") }

// substitute says what stood for the hardware in points: an emulated provider or testbed, or any other field
// that names a substitute.
func substitute(points []*results.Point) string {
	return each(points, func(p *results.Point) string {
		said := field(p, "substitute", "stand_in")
		switch {
		case p.EmulatedTestbed != "":
			return "emulated: " + p.EmulatedTestbed
		case p.Emulated:
			return strings.TrimSuffix("emulated: "+p.Provider, ": ")
		case said != "":
			return "substitute: " + said
		}
		return ""
	})
}

// field is the text of the first field whose name holds one of words and which is not empty.
func field(p *results.Point, words ...string) string {
	for i := range fields {
		c := &fields[i]
		if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(c.Name, w) }) {
			continue
		}
		if text := fmt.Sprint(c.Value(p)); text != "" && text != "0" && text != "false" {
			return text
		}
	}
	return ""
}

func warned(points []*results.Point) (n int) {
	for _, p := range points {
		if len(p.Warnings) > 0 {
			n++
		}
	}
	return n
}

// estimated counts the points whose share of hashing was not measured.
func estimated(points []*results.Point) (n int) {
	for _, p := range points {
		if strings.Contains(p.ClientHashShareBy, "estimate") {
			n++
		}
	}
	return n
}
