package redis

import "dpukv/kvs"

// Study has the defaults: the load of the study's MICA (ICS '25, §4), for comparison with it.
var Study = kvs.StudyDefaults{
	KeyBytes: 8, ValueBytes: 8, Batch: 64, Hash: kvs.NoHash,
	Access: Access,
}
