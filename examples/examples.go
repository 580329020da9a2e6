package examples

import "embed"

// Testbeds are the files that describe a testbed, one a kind.
//
//go:embed local.yaml netns.yaml netns-onpath.yaml bluefield.yaml slurm.yaml
var Testbeds embed.FS

// Figures are the sweeps that measure the study's figures of stores.
//
//go:embed fig8.yaml fig9.yaml fig11.yaml
var Figures embed.FS
