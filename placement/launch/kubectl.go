package launch

import "regexp"

// kubeName matches names of pods, containers and namespaces (RFC 1123, in Kubernetes' form).
var kubeName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

var kubectl = launcher{
	tool: "kubectl", get: "install it (https://kubernetes.io/docs/tasks/tools)",
	check: func(n *Node) error {
		for _, f := range []field{
			{key: "pod", value: n.Pod},
			{key: "container", value: n.Container},
			{key: "kube_namespace", value: n.KubeNamespace},
		} {
			if required := f.key == "pod"; (f.value != "" || required) &&
				!kubeName.MatchString(f.value) {
				return n.found(f.key, f.value, "a name as kubectl get shows it")
			}
		}
		return nil
	},
	utf8: true, // the kubelet and its container runtime speak Protocol Buffers
	command: func(n *Node, argv []string) []string {
		exec := []string{"kubectl", "exec", "--stdin"}
		for _, f := range []field{
			{key: "--context=", value: n.KubeContext},
			{key: "--namespace=", value: n.KubeNamespace},
			{key: "--container=", value: n.Container},
		} {
			if f.value != "" {
				exec = append(exec, f.key+f.value)
			}
		}
		return append(append(exec, n.Pod, "--"), argv...)
	},
	troubles: kubectlTroubles,
}
