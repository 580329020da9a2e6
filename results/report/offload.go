package report

import (
	"dpukv/results/offload"
	"dpukv/results/probechart"
)

// offloaded is what DPUs save: CPU time of hosts by placement, and what a neighbour costs.
type offloaded struct {
	Figures []probeFigure       `json:"figures"`
	Tables  []*probechart.Table `json:"tables"`
}

func (m *Model) fillOffload() {
	of := offload.Of(m.Points)
	m.Offload = offloaded{
		Figures: []probeFigure{}, Tables: append([]*probechart.Table{}, of.Tables...),
	}
	for i := range of.Charts {
		m.Offload.Figures = append(m.Offload.Figures, newProbeFigure(&of.Charts[i]))
	}
}
