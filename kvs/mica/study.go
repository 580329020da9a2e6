package mica

import "dpukv/kvs"

// Study is what the study of BlueField DPUs (ICS '25, §4) measured MICA with.
var Study = kvs.StudyDefaults{KeyBytes: 8, ValueBytes: 8, Batch: 64, Hash: "city64", Access: "erew"}
