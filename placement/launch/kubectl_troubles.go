package launch

// kubectlTroubles are in the words of kubectl 1.20 to 1.34. Version 1.20 says nothing of a lost
// connection: it ends with exit status 0, and its output lacks its end.
var kubectlTroubles = []trouble{
	{
		says(`^Error from server \(NotFound\): (.+)`),
		"Kubernetes has no such thing: $1; kubectl get pods shows those there are",
	},
	{
		says(`^Error from server \(Forbidden\): (.+)`),
		"Kubernetes forbids it: $1; dpukv needs the verb get of pods, and get and create of " +
			"pods/exec: kubectl auth can-i --list shows what you have",
	},
	{
		says(`^(?:[Ee]rror: context "|Error in configuration: context was not found for specified context: )([^"\n]+)`),
		"there is no context $1: kubectl config get-contexts shows those there are",
	},
	{
		says(`^(?:error|Error from server \(\S+\)): (?:unable to upgrade connection: )?(container \S+ is not valid for pod \S+|container not found \(".+"\)|cannot exec into a container in a completed pod.*)`),
		"the container cannot be entered: $1; kubectl describe pod {pod} shows its containers",
	},
	{
		says(`^Error from server \((\S+)\): (.+)`),
		"Kubernetes refuses ($1): $2; kubectl describe pod {pod} shows the state of the pod",
	},
	{
		says(`^command terminated with exit code 137`),
		"the program was killed in the pod (exit status 137): kubectl describe pod {pod} shows " +
			"whether the pod was deleted, or the container had too little memory",
	},
	{
		says(`^The connection to the server (\S+) was refused`),
		"Kubernetes does not answer at $1: is the right context chosen, and its cluster up?",
	},
	{
		says(`^(?:The connection to the server|Unable to connect to the server)(.+)`),
		"Kubernetes does not answer$1: is the right context chosen, and its cluster up?",
	},
	{
		says(`exec: "(.+)": (?:executable file not found|stat .+: no such file)`),
		"the container has no program $1: choose an image with a shell and coreutils, or put " +
			"dpukv into it and say where with binary",
	},
	{
		says(`^(?:error: error reading from error stream|error: Timeout occurred|E\d+ .*lost connection|error: lost connection)(.*)`),
		"the connection to the pod is lost$1; kubectl get pod {pod} shows whether it runs",
	},
}
