-- Asks for one page with `depth` requests written at once on each connection.

local options = require("lib.options")
local report = require("lib.report")

local pipeline = {}

local DEFAULT_DEPTH, DEEPEST = 24, 10000

--- Returns setup(), init() and done() for `path`, by default `--path` or the path of the URL.
function pipeline.script(path)
  local allowed = { depth = true, connections = true, path = not path or nil }

  local function init(words)
    local given = options.parse(words, allowed)
    local depth = given.depth or os.getenv("PIPELINE_DEPTH") or tostring(DEFAULT_DEPTH)
    pipeline_depth = options.whole(depth, given.depth and "--depth" or "PIPELINE_DEPTH", 1, DEEPEST)
    given_connections = given.connections and options.whole(given.connections, "--connections", 1, 1e6)
    wrk.path = path or given.path or wrk.path
    if not wrk.path:find("^/[^%s%c]*$") then
      options.fail("--path must begin with '/' and hold no spaces, not '" .. wrk.path .. "'")
    end
    -- Without a global request(), wrk asks for the bytes once a thread, after init(), and not once a
    -- batch: the fastest servers need that.
    local batch = wrk.format():rep(pipeline_depth)
    wrk.format = function() return batch end
  end

  local setup, done = report.hooks()
  return setup, init, done
end

return pipeline
