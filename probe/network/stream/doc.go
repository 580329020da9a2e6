// Package stream measures the bandwidth of TCP with the installed iperf3.
//
// # What is measured
//
// Each core has an iperf3 client at one end and an iperf3 server at the other, with one TCP
// connection between them. Each is a process of its own, pinned to one CPU of its end: the i-th
// process has the i-th CPU. With more cores than CPUs, processes share CPUs, with a warning.
//
//	server   iperf3 -s -B HOST -p PORT+i -i 0 --forceflush
//	client   iperf3 -c HOST -p PORT+i -J -i 0 -l WRITE_BYTES -O WARMUP -t DURATION [-R]
//
// The ports of the servers are in a row. The bandwidth is what the receivers received within the
// measurement period, summed over the connections. iperf3 leaves out its warm-up itself. Its times
// are whole seconds, so other times are rounded up: the warm-up is among the facts, and a longer
// measurement has a warning.
//
// # CPU time
//
// Each end reads the CPU time of its own iperf3 processes from the kernel, at the beginning and the
// end of the period. iperf3's figure for its server counts from the start of that server
// (esnet/iperf#1076), so nothing uses it.
//
// The period of a client begins when its connection has been up for the warm-up. A client tells
// nothing before its end, so this package looks every millisecond for the connection among the
// process's sockets. The period of the point is that of the client that begins last.
//
// # Traffic
//
// Each end samples the kernel's counters of its processes' sockets (package tcpinfo), and keeps the
// largest sample. So the counts are those from shortly before the sockets close.
//
// # Versions
//
// iperf3 has one thread up to version 3.15, and one for each connection from 3.16 on. With one
// connection a process, both use one core. The facts name the version of either end.
package stream
