# Runs a Kubernetes of one node: kubernetes.sh DIR ADDRESS. kubernetes.go wrote the files in DIR.
# Only the API server listens on an address that others reach; it knows its users by their tokens.
set -eu
cd "$1"
etcd --data-dir etcd --unsafe-no-fsync --log-level error &
kube-apiserver --etcd-servers http://127.0.0.1:2379 --cert-dir certificates \
	--bind-address "$2" --advertise-address "$2" --secure-port 6443 \
	--token-auth-file tokens --anonymous-auth=false --authorization-mode Node,RBAC \
	--service-account-issuer https://kubernetes.default.svc \
	--service-account-key-file key --service-account-signing-key-file key \
	--service-cluster-ip-range 10.0.0.0/24 --disable-admission-plugins ServiceAccount \
	--kubelet-preferred-address-types Hostname \
	--feature-gates SizeBasedListCostEstimate=false & # Debian's etcd is too old for it
containerd --config containerd.toml --log-level error &
until [ -S containerd.sock ]; do sleep 0.1; done
ctr --address containerd.sock --namespace k8s.io images import --snapshotter native image.tar
until kubectl --kubeconfig config get --raw /readyz >/dev/null 2>&1; do sleep 0.1; done
# The node's name is the address at which the API server reaches the kubelet.
kubelet --config kubelet.yaml --kubeconfig kubelet.config --hostname-override localhost \
	--node-ip "$2" --root-dir "$1/kubelet" --cert-dir "$1/kubelet/certificates"
