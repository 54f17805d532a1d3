-- /ugly, pipelined: 24 requests written at once on each connection.
--   wrk -c100 -d30s -t1 -s wrk_scripts/pipeline_ugly.lua http://127.0.0.1:1717
--   ... http://127.0.0.1:1717 -- --depth 8        (or PIPELINE_DEPTH=8 in the environment)

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = here .. "?.lua;" .. package.path

setup, init, done = require("lib.pipeline").script("/ugly")
