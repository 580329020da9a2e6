package herd

import "dpukv/kvs"

// Study has the settings of HERD in the study of BlueField DPUs (ICS '25, §4).
var Study = kvs.StudyDefaults{
	KeyBytes: 16, ValueBytes: 32, Batch: 32, Hash: DefaultHash,
	Access: "erew",
}
