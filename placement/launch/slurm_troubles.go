package launch

// slurmTroubles are in the words of srun 20.11 to 24.
var slurmTroubles = []trouble{
	{
		says(`^srun: error: (?:Unable to confirm allocation for job (\S+): |Slurm job \S+ has expired|.*Expired or invalid job)`),
		"there is no allocation {job}, or no more: run dpukv within salloc or sbatch, or give " +
			"the number of one that runs (squeue) as job",
	},
	{
		says(`^srun: error: Invalid numeric value "(.*)" for --jobid`),
		"$1 is no number of an allocation: squeue shows them",
	},
	{
		says(`^srun: error: Unable to create step for job (\S+): (?:Requested node configuration is not available|Invalid node name specified|.*node.*not.*in.*allocation.*)`),
		"allocation $1 has no node {slurm_node}: squeue --job=$1 shows the ones it has",
	},
	{
		says(`^srun: error: Unable to create step for job (\S+): (.+)`),
		"allocation $1 lets nothing run on {slurm_node} ($2): another step may hold it all; srun " +
			"--overlap shares",
	},
	{
		says(`^slurmstepd\S*: error: \*\*\* (?:STEP|JOB) (\S+) ON (\S+) CANCELLED AT \S+(.*) \*\*\*`),
		"Slurm ended what ran on $2 (step $1$3): the allocation was cancelled or its time is up",
	},
	{
		says(`^srun: error: (?:Node failure on (\S+)|.*NODE FAILURE.*)`),
		"Slurm lost the node {slurm_node}: sinfo shows its state",
	},
	{
		says(`^srun: error: .*Unable to contact slurm controller(.*)`),
		"Slurm's controller does not answer$1: scontrol ping shows whether it is up",
	},
	{
		says(`^slurmstepd\S*: error: execve\(\): (\S+): (No such file or directory|Permission denied)`),
		"$1 cannot be run there ($2)",
	},
}
