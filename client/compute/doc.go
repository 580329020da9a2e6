// Package compute is the application that a load stands for: it works while its requests are under
// way.
//
// # Work
//
// A [Loop] does integer work in units. [Calibrate] finds the time of a unit on the calling thread,
// as the median of many short rounds. A compute of 5 µs is then a fixed number of units. So an
// interrupt, another program or a slower clock makes the compute longer. A loop that ends by the
// clock would do less work instead, and hide what the network costs the application.
//
// # Overlap
//
// [Measure] finds the share of the communication that an application hides behind its work. The
// definition is that of OSU's micro-benchmarks:
//
//	overlap = max(0, 100 · (1 − (t_overall − t_compute) / t_comm))
//
//	t_comm     one batch, sent and answered, alone in flight
//	t_compute  a compute as long as t_comm, with nothing in flight
//	t_overall  one batch sent, the compute, then the wait for the answers
//
// OSU times t_compute within t_overall. Here the compute is timed alone. So the time that the
// kernel takes from it, to receive packets, counts as communication. Rounds of the three alternate,
// and each time is the median of its rounds.
package compute
