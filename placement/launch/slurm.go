package launch

import (
	"cmp"
	"os"
	"strings"
)

var slurm = launcher{
	tool: "srun", get: "install Slurm's client (slurm-client), or run dpukv where it is",
	check: func(n *Node) error {
		switch {
		case n.SlurmNode == "" || strings.ContainsAny(n.SlurmNode, ",[] ") ||
			strings.HasPrefix(n.SlurmNode, "-"):
			return n.found("slurm_node", n.SlurmNode, "the name of one node, as sinfo shows it")
		case strings.HasPrefix(n.Job, "-"):
			return n.found("job", n.Job, "the number of an allocation, as squeue shows it")
		}
		return nil
	},
	ready: func(n *Node) error {
		if n.job() == "" {
			return n.errorf("there is no allocation: run dpukv within salloc or sbatch, or give " +
				"the number of an allocation as job")
		}
		return nil
	},
	command: func(n *Node, argv []string) []string {
		srun := []string{"srun"}
		if job := n.job(); job != "" {
			srun = append(srun, "--jobid="+job)
		}
		return append(append(srun, srunOptions...),
			append([]string{"--nodelist=" + n.SlurmNode, "--"}, argv...)...)
	},
	troubles: slurmTroubles,
}

func (n *Node) job() string { return cmp.Or(n.Job, os.Getenv("SLURM_JOB_ID")) }

// srunOptions override the SLURM_ variables of an allocation's environment.
var srunOptions = []string{
	"--overlap",               // server and client share what the user was given
	"--nodes=1", "--ntasks=1", //
	"--cpu-bind=none", // dpukv chooses its CPUs itself
	"--mpi=none",      //
	"--immediate=10",  // seconds to wait for a step, which has nobody to wait for
	"--chdir=/",       // this folder may not be there
}
