package main

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// sources is the digest of the source files, which scripts/drivers.sh sets.
var sources string

// built returns the digest of the sources, and the versions of Go and of the drivers' modules that
// this program was built with.
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
