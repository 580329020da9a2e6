package mica

import "dpukv/kvs"

// Study has the settings of MICA in the study of BlueField DPUs (ICS '25, §4).
var Study = kvs.StudyDefaults{KeyBytes: 8, ValueBytes: 8, Batch: 64, Hash: "city64", Access: "erew"}
