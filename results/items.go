package results

// Items tells how the clients of a point read items by themselves: see package kvs/onesided.
type Items struct {
	// ReadShare is the share of the GETs that READs alone answered. The server answered the others.
	ReadShare     float64 `json:"read_share"`
	ReadsPerGet   float64 `json:"reads_per_get"`   // READs in the mean
	BytesPerGet   float64 `json:"bytes_per_get"`   // bytes that READs brought
	RetriesPerGet float64 `json:"retries_per_get"` // READs again, as something was written meanwhile
	// CheckNsPerRead is the client's time for checking what a READ has brought, from samples.
	CheckNsPerRead float64 `json:"check_ns_per_read"`
	// Responder is who answers READs at the server: "nobody" (the client copies memory) and "NIC"
	// take none of its CPU time; "kernel" and "software" do.
	Responder string `json:"responder"`
	// ServerWorkNsPerOp is the CPU time of the server's workers in which they found work, over the
	// operations of all kinds. In a load of GETs alone, it is that of the GETs which READs did not
	// answer. It has the work of a responder in software. It is 0 if it is not known.
	ServerWorkNsPerOp float64 `json:"server_work_ns_per_op"`
}
