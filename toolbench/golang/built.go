package main

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// sources is a digest of what this was built from, as scripts/drivers.sh made it.
var sources string

// built is what this program says of itself: its sources, and the versions of Go and of the drivers'
// modules that are in it.
func built() answer {
	versions := map[string]string{}
	if info, known := debug.ReadBuildInfo(); known {
		for _, one := range info.Deps {
			for name, driver := range drivers {
				if one.Path == driver.module {
					versions[name] = strings.TrimPrefix(one.Version, "v")
				}
			}
		}
	}
	return answer{
		"sources": sources,
		"go":      strings.TrimPrefix(runtime.Version(), "go"),
		"drivers": versions,
	}
}
