-- Sends the requests of a file in turn, each thread from a place of its own.
--   wrk -c16 -d30s -t1 -s wrk_scripts/requests.lua http://127.0.0.1:8000 -- --file requests.txt
--
-- With http://unix/path/of/the.sock as the URL it connects to a Unix socket.
--
-- The file has for each request a line with its length in bytes, then these bytes.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = here .. "?.lua;" .. package.path

local options = require("lib.options")
local report = require("lib.report")
local unix = require("lib.unix")

local requests, next_one = {}, 0

local function read(path)
  local file = io.open(path, "rb")
  if not file then options.fail("--file: cannot read '" .. path .. "'") end
  local length = file:read("*l")
  while length do
    requests[#requests + 1] = file:read(options.whole(length, "a length in --file", 1, 1e8))
    length = file:read("*l")
  end
  file:close()
  if #requests == 0 then options.fail("--file: no request in '" .. path .. "'") end
end

function init(words)
  local given = options.parse(words, { file = true, connections = true })
  pipeline_depth = 1
  given_connections = given.connections and options.whole(given.connections, "--connections", 1, 1e6)
  if not given.file then options.fail("--file is missing: the requests to send") end
  read(given.file)
  next_one = thread_number * 101 % #requests
  -- Without a global request(), wrk asks for the bytes once: the fastest servers need that.
  if #requests == 1 then
    local only = requests[1]
    wrk.format = function() return only end
  else
    request = function()
      next_one = next_one % #requests + 1
      return requests[next_one]
    end
  end
end

setup, done = report.hooks()

if unix.wanted() then
  local prepare = setup
  setup = function(thread)
    unix.lead(thread)
    prepare(thread)
  end
end
