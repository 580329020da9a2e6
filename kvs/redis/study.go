package redis

import "dpukv/kvs"

// Study is what stands in where nothing is asked for: the load of the study's MICA (ICS '25, §4),
// to be beside it.
var Study = kvs.StudyDefaults{KeyBytes: 8, ValueBytes: 8, Batch: 64, Hash: kvs.NoHash, Access: Access}
