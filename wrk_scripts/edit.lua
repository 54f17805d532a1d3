-- Edits stickers: fetches the form of a random sticker, posts it with another title, and so on.
--   wrk -c100 -d30s -t1 -H "Cookie: manager=..." -s wrk_scripts/edit.lua http://127.0.0.1:1717
--   ... http://127.0.0.1:1717 -- --edits 500      (at most so many edits a thread, then forms only)
--   ... http://127.0.0.1:1717 -- --stickers 30    (the first so many; by default all 16,200)
--
-- The cookie is that of a log-in under /manage. A title gets an exclamation mark at its end, or
-- loses the one that it has. As in vote.lua, a connection that may write takes the oldest form, or
-- fetches one if there is none; a form is bound to no connection and leaves its queue exactly once.
--
-- Adds to the result line: `forms` (fetched), `edits` {posted, acknowledged (303 to the saved
-- sticker), unanswered (posted, and not acknowledged: cut off by the end of the run or by an
-- error)}, `unexpected` (answers below 400 that are neither a form nor the answer to an edit). The
-- server's own count of edits rises by at least `acknowledged` and by at most `acknowledged` +
-- `unanswered`.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = here .. "?.lua;" .. package.path

local options = require("lib.options")
local queue = require("lib.queue")
local report = require("lib.report")

local IN_A_PACK = 30
local ENTITIES = { amp = "&", lt = "<", gt = ">", ["#34"] = '"', ["#39"] = "'" }

-- Globals, as done() can read nothing else of a thread.
local COUNTS = { "posted", "acknowledged", "forms", "unexpected" }
for _, name in ipairs(COUNTS) do _G[name] = 0 end

local waiting = queue.new()
local edits_allowed, stickers = math.huge, 16200
local get_lines, post_lines

-- Returns the header lines of a request, whose path is another each time.
local function header_lines(method, headers)
  for name, value in pairs(wrk.headers) do headers[name] = headers[name] or value end
  return (wrk.format(method, "/", headers):match("\r\n(.-\r\n)\r\n"))
end

function init(words)
  local given = options.parse(words, { edits = true, stickers = true, connections = true })
  pipeline_depth = 1
  given_connections = given.connections and options.whole(given.connections, "--connections", 1, 1e6)
  if given.edits then edits_allowed = options.whole(given.edits, "--edits", 0, 1e9) end
  if given.stickers then stickers = options.whole(given.stickers, "--stickers", 1, 1e9) end
  get_lines = header_lines("GET", {})
  post_lines = header_lines("POST", { ["Content-Type"] = "application/x-www-form-urlencoded" })
  math.randomseed(thread_number)
end

function request()
  local form = posted < edits_allowed and waiting:pop()
  if form then
    posted = posted + 1
    return form
  end
  local number = math.random(stickers)
  local pack = math.ceil(number / IN_A_PACK)
  return ("GET /manage/sticker/%d/%d/edit HTTP/1.1\r\n%s\r\n"):format(pack, number, get_lines)
end

local function changed(title)
  local text = title:gsub("&(#?%w+);", ENTITIES)
  local shorter = text:match("^(.+)!$")
  return ((shorter or text .. "!"):gsub("[^%w]", function(char)
    return ("%%%02X"):format(char:byte())
  end))
end

-- Returns the request that sends the form of a page back, or nil if the page has none.
local function sent(page)
  local path, token, title = page:match(
    'action="(/manage/sticker/%d+/%d+/edit)".-name="form" value="([%x.]+)".-name="title" value="(.-)"')
  if not path then return nil end
  local body = "form=" .. token .. "&title=" .. changed(title)
  return ("POST %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s"):format(path, post_lines, #body, body)
end

local function location(headers)
  for name, value in pairs(headers) do
    if name:lower() == "location" then return value end
  end
  return ""
end

function response(status, headers, body)
  local form = status == 200 and sent(body)
  if form then
    forms = forms + 1
    if posted < edits_allowed then waiting:push(form) end
  elseif status == 303 and location(headers):find("?done=saved", 1, true) then
    acknowledged = acknowledged + 1
  elseif status < 400 then
    unexpected = unexpected + 1
  end
end

local function finish(threads)
  local sums = {}
  for _, name in ipairs(COUNTS) do
    sums[name] = 0
    for _, thread in ipairs(threads) do sums[name] = sums[name] + thread:get(name) end
  end
  local edits = { posted = sums.posted, acknowledged = sums.acknowledged }
  edits.unanswered = edits.posted - edits.acknowledged
  return { edits = edits, forms = sums.forms, unexpected = sums.unexpected }
end

setup, done = report.hooks(finish)
