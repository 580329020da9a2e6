package herd

import "dpukv/kvs"

// Study is what the study of BlueField DPUs (ICS '25, §4) measured HERD with.
var Study = kvs.StudyDefaults{KeyBytes: 16, ValueBytes: 32, Batch: 32, Hash: DefaultHash, Access: "erew"}
