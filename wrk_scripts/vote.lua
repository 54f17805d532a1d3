-- Votes for stickers: fetches /, takes the two ballots out of the page, posts one, and so on.
--   wrk -c100 -d30s -t1 -s wrk_scripts/vote.lua http://127.0.0.1:1717
--   ... http://127.0.0.1:1717 -- --votes 500      (at most so many votes a thread, then pages only)
--
-- wrk has one Lua state a thread and tells neither request() nor response() which connection it is
-- about. A thread therefore keeps queues: a connection that may write takes the oldest ballot, or
-- fetches a page if there is none. That is correct, as a ballot's tokens are bound to no connection
-- and leave their queue exactly once. A visitor (a session cookie) is idle, browsing or voting. The
-- cookie is in one request at a time, and a new visitor comes only if no visitor is idle, so there
-- are as many as connections. The oldest browsing visitor is taken for the one of an answer.
--
-- Adds to the result line: `pages` (ballots fetched), `votes` {posted, acknowledged (303 with
-- voted=1), refused (303 with voted=0), unanswered (posted, and neither: cut off by the end of the
-- run or by an error)}, `visitors`, `unexpected` (answers below 400 that are neither a page with
-- ballots nor the answer to a vote). The server's own count of votes rises by at least
-- `acknowledged` and by at most `acknowledged` + `unanswered`.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = here .. "?.lua;" .. package.path

local options = require("lib.options")
local queue = require("lib.queue")
local report = require("lib.report")

-- Globals, as done() can read nothing else of a thread.
local COUNTS = { "posted", "acknowledged", "refused", "pages", "visitors", "unexpected" }
for _, name in ipairs(COUNTS) do _G[name] = 0 end

local BALLOT = "vote_plus=%s&vote_minus=%s"
local BALLOT_LENGTH = #BALLOT:format(("0"):rep(32), ("0"):rep(32))

local ballots, idle, browsing, voting = queue.new(), queue.new(), queue.new(), queue.new()
local votes_allowed = math.huge
local get_head, post_head

-- Returns a request without its cookie and body; every ballot has the same length.
local function head(method, headers, body)
  for name, value in pairs(wrk.headers) do headers[name] = headers[name] or value end
  return (wrk.format(method, nil, headers, body):match("^(.-\r\n)\r\n"))
end

function init(words)
  local given = options.parse(words, { votes = true, connections = true })
  pipeline_depth = 1
  given_connections = given.connections and options.whole(given.connections, "--connections", 1, 1e6)
  if given.votes then votes_allowed = options.whole(given.votes, "--votes", 0, 1e9) end
  get_head = head("GET", {})
  local form = { ["Content-Type"] = "application/x-www-form-urlencoded" }
  post_head = head("POST", form, ("0"):rep(BALLOT_LENGTH))
  math.randomseed(thread_number)
end

local function cookie_line(cookie) return cookie and "Cookie: " .. cookie .. "\r\n" or "" end

function request()
  local ballot = posted < votes_allowed and ballots:pop()
  local cookie = idle:pop()
  if not ballot then
    browsing:push(cookie)
    return get_head .. cookie_line(cookie) .. "\r\n"
  end
  posted = posted + 1
  voting:push(cookie)
  return post_head .. cookie_line(cookie) .. "\r\n" .. ballot
end

local function header(headers, wanted)
  for name, value in pairs(headers) do
    if name:lower() == wanted then return value end
  end
  return ""
end

local function token(form, name)
  for input in form:gmatch("<input[^>]*>") do
    if input:find('name="' .. name .. '"', 1, true) then
      local value = input:match('value="(%x+)"')
      return value and #value == 32 and value
    end
  end
end

local function ballots_in(page)
  local found = {}
  for form in page:gmatch("<form.-</form>") do
    local plus, minus = token(form, "vote_plus"), token(form, "vote_minus")
    if plus and minus then found[#found + 1] = BALLOT:format(plus, minus) end
  end
  return found
end

local function page_answered(headers, body)
  local found = ballots_in(body)
  local cookie = header(headers, "set-cookie"):match("^(session=%x+)")
  if cookie then visitors = visitors + 1 end
  idle:push(cookie or browsing:pop())
  if #found == 0 then
    unexpected = unexpected + 1
    return
  end
  pages = pages + 1
  if posted < votes_allowed then ballots:push(found[math.random(#found)]) end
end

local function vote_answered(headers)
  local verdict = header(headers, "location"):match("[?&]voted=([01])")
  idle:push(voting:pop())
  if verdict == "1" then
    acknowledged = acknowledged + 1
  elseif verdict == "0" then
    refused = refused + 1
  else
    unexpected = unexpected + 1
  end
end

function response(status, headers, body)
  if status == 303 then
    vote_answered(headers)
  elseif status < 400 then
    page_answered(headers, body)
  end
end

local function finish(threads)
  local sums = {}
  for _, name in ipairs(COUNTS) do
    sums[name] = 0
    for _, thread in ipairs(threads) do sums[name] = sums[name] + thread:get(name) end
  end
  local votes = { posted = sums.posted, acknowledged = sums.acknowledged, refused = sums.refused }
  votes.unanswered = votes.posted - votes.acknowledged - votes.refused
  return { votes = votes, pages = sums.pages, visitors = sums.visitors, unexpected = sums.unexpected }
end

setup, done = report.hooks(finish)
