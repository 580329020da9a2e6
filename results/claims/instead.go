package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
	"dpukv/results/columns"
)

// instead returns for each warning the evidence of the points used.
var instead = map[string]func([]*results.Point) string{
	"udp":  transports,
	"link": transports,
	"preload": func(points []*results.Point) string {
		least := slices.MinFunc(points, func(a, b *results.Point) int {
			return cmp.Compare(a.PreloadHitRate, b.PreloadHitRate)
		})
		return fmt.Sprintf("all keys preloaded, at least %.1f %% of them found",
			100*least.PreloadHitRate)
	},
	"batch": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string {
			return fmt.Sprintf("batches of %d, %.0f operations and %.0f bytes per request frame, "+
				"over a stream that cuts them anywhere", p.Batch, p.OpsPerFrame, p.BytesPerFrame)
		})
	},
	"latency": perOperation,
	"window":  perOperation,
	"mtu": func(points []*results.Point) string {
		mtus := each(points, mtu)
		if mtus == "" {
			return "the points have no MTU"
		}
		return "an MTU of " + mtus
	},
	"userspace": func([]*results.Point) string { return "TCP of the kernel at both ends" },
	"unoptimised": func(points []*results.Point) string {
		return "code of the same form (" + each(points, func(p *results.Point) string {
			return "code " + p.Settings["code"] + ", " + p.Facts["isa"]
		}) + "); the setting code: vector has the memory's own bandwidth"
	},
	"beyond-l1": func([]*results.Point) string {
		return "the same difference, as beyond_l1_ns; latency_ns is absolute"
	},
	"submit": func([]*results.Point) string { return "the clock stops at the completion" },
	"timer":  func([]*results.Point) string { return "nanoseconds" },
	"triples": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string {
			return fmt.Sprintf("%g %% GET", 100*p.GetRatio)
		})
	},
	"similar": func([]*results.Point) string { return "each ratio names its two sides" },
	"servers": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string {
			return numfmt.Count(p.ServerThreads, "server thread")
		})
	},
	"lynx-load": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string {
			return fmt.Sprintf("%g %% GET, keys of %d and values of %d bytes, batch %d, %s "+
				"per client thread, over %s", 100*p.GetRatio, p.KeyBytes, p.ValueBytes, p.Batch,
				numfmt.Count(p.Connections, "connection"), p.Transport)
		})
	},
	"lynx-cores": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string {
			return p.Placement + ": " + numfmt.Count(p.ServerThreads, "server thread")
		})
	},
	"lynx-card": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string {
			if p.ServerNode.Kind != results.KindDPU {
				return ""
			}
			return strings.TrimSpace(fmt.Sprintf("%s on %s %s",
				numfmt.Count(p.ServerThreads, "server thread"), p.ServerNode.Node,
				p.ServerNode.Profile))
		})
	},
	"lynx-server": func(points []*results.Point) string {
		return "a key-value store over " + each(points, func(p *results.Point) string {
			return p.Transport
		}) + ", beside a neighbour of kind " + each(points, func(p *results.Point) string {
			return p.Neighbour
		})
	},
	"lynx-path": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string {
			if p.Neighbour == "" {
				return ""
			}
			return fmt.Sprintf("the neighbour on CPUs %v, the server on %v", p.NeighbourCPUs,
				p.ServerCPUs)
		})
	},
	"threads": func(points []*results.Point) string {
		return each(points, func(p *results.Point) string {
			return numfmt.Count(p.ClientThreads, "client thread")
		})
	},
}

func perOperation([]*results.Point) string {
	return "the mean over all operations, from the intended send to the answer"
}

// concerns reports whether a warning about one store or submode applies to these points.
func concerns(warning string, points []*results.Point) bool {
	has := func(test func(*results.Point) bool) bool { return slices.ContainsFunc(points, test) }
	switch warning {
	case "udp", "preload", "batch", "latency":
		return has(func(p *results.Point) bool { return p.Store == "mica" })
	case "window":
		return has(func(p *results.Point) bool { return p.Store == "herd" })
	}
	return true
}

// each lists the distinct texts of points.
func each(points []*results.Point, text func(*results.Point) string) string {
	var list []string
	for _, p := range points {
		if t := text(p); t != "" && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return strings.Join(list, " and ")
}

// fields are the fields of a point. Some name the substitute for a real part, under any name.
var fields = columns.All()

// mtu is the MTU of a point, if the point has it.
func mtu(p *results.Point) string { return field(p, "mtu") }

// substitute names the substitutes for hardware in points: an emulated provider or testbed, or any
// other field that names a substitute.
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

// field is the text of the first non-empty field whose name contains one of words.
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

// estimated counts the points with an estimated share of hashing.
func estimated(points []*results.Point) (n int) {
	return results.Count(points, func(p *results.Point) bool {
		return strings.Contains(p.ClientHashShareBy, "estimate")
	})
}

// transports names how the points' packets travelled.
func transports(points []*results.Point) string {
	return "over " + each(points, func(p *results.Point) string {
		return strings.TrimSpace(p.Transport + " " + p.Provider)
	})
}
