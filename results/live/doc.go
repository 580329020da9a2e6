// Package live serves a run folder while it fills up.
//
//	GET /           the report (package report), which then follows
//	GET /events     server-sent events: "points" whenever there are more, "ended" at the end, each with a line in words
//	GET /data.json  the report's data as of now
//	GET /metrics    for Prometheus: how far the sweep is, and each configuration's medians, with the dimensions as labels
//
// The folder is watched and the sweep not touched: twice a second the size of points.jsonl is
// looked at. It is read and made into a page only when somebody asks, once for each size, so that
// a server nobody looks at takes no CPU time from what is measured. Somebody who looks does take
// some, on the machine that serves, when a point ends.
//
// Whoever reaches the address can read. A page of somebody else in a browser on this machine must
// not: it could have its own name lead here, so a request for a name that is not this machine's is
// refused (421). Connections are limited (503), all readers share one copy of an answer, and a
// reader that does not read is cut off.
package live
