package examples

import "embed"

// Testbeds are the files that describe a testbed, one a kind.
//
//go:embed local.yaml netns.yaml netns-onpath.yaml bluefield.yaml slurm.yaml ssh.yaml kubectl.yaml
var Testbeds embed.FS
