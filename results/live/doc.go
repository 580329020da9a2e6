// Package live serves a run folder while it fills up.
//
//	GET /           the report (package report), which then follows
//	GET /events     server-sent events: "points" for more points, "ended" at the end; each in words
//	GET /data.json  the report's data as of now
//	GET /metrics    for Prometheus: the sweep's progress, and the medians of each configuration
//
// The server watches the folder and does not touch the sweep: twice a second it looks at the size
// of points.jsonl. It reads the folder only on a request, once for each size. A server without
// readers takes no CPU time from the measurement. A reader takes some, on the serving machine, when
// a point ends.
//
// Anybody who reaches the address can read. A page of another site, open in a browser on this
// machine, must not read: its name could resolve to this server. So the server refuses requests for
// names other than this machine's (421).
//
// Connections are limited (503). All readers share one copy of an answer. The server disconnects a
// reader that does not read.
package live
