package dpdk

// inMemory is a script that adds an option to a DPDK program's arguments, where no hugetlbfs of
// these pages is mounted. A system mounts one of its default size, which is 512 MiB if base pages
// have 64 KiB. DPDK otherwise needs a mount for each size that it uses.
const inMemory = `grep -q ' hugetlbfs .*pagesize=2M' /proc/mounts || {
	program=$1
	shift
	set -- "$program" --in-memory "$@"
}
`
