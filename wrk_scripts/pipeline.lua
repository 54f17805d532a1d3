-- Any page with 24 requests pipelined, or as many as --depth says.
--   wrk -c100 -d30s -t1 -s wrk_scripts/pipeline.lua http://127.0.0.1:1717 -- --path /good --depth 1

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = here .. "?.lua;" .. package.path

setup, init, done = require("lib.pipeline").script(nil)
