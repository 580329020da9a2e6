package launch

// kubectlTroubles are in the words of kubectl 1.20 to 1.34.
var kubectlTroubles = []trouble{
	{
		says(`^Error from server \(NotFound\): (.+)`),
		"Kubernetes has no such thing: $1; kubectl get pods shows those there are",
	},
	{
		says(`^Error from server \((\S+)\): (.+)`),
		"Kubernetes refuses ($1): $2",
	},
	{
		says(`^(?:[Ee]rror: context "|Error in configuration: context was not found for specified context: )([^"\n]+)`),
		"there is no context $1: kubectl config get-contexts shows those there are",
	},
	{
		says(`^error: (?:unable to upgrade connection: )?(container \S+ is not valid for pod \S+|container not found \(".+"\)|cannot exec into a container in a completed pod.*)`),
		"the container cannot be entered: $1",
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
		"the connection to the pod is lost$1",
	},
}
