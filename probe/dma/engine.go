package dma

import (
	"maps"
	"slices"

	"dpukv/probe"
)

// engine moves bytes between the near buffer and the far region. One goroutine uses it.
type engine interface {
	// post submits copy number i.
	post(i uint64) error
	// reap returns the number of copies that completed since the last call. With events it sleeps
	// until there is one.
	reap() (int, error)
	// describe adds what is used to an outcome.
	describe(*probe.Outcome)
	close() error
}

// engines open engines, by their names in settings.
var engines = map[string]func(*probe.Task, *memory) (engine, error){
	"cpu": openCPU, engineMLX5: openMLX5,
}

const engineHelp = "cpu is a core, and no DMA engine; mlx5 is the engine of a BlueField-2 or later"

// engineNames returns the names in their order.
func engineNames() []string { return slices.Sorted(maps.Keys(engines)) }
