-- Keeps tokens, sessions and votes within the limits of age and number that `site_open` has set, and
-- within the memory.

local clock = require('clock')
local fiber = require('fiber')
local log = require('log')
local common = require('common')

local counters, sessions = box.space.counters, box.space.sessions
local tokens, votes = box.space.tokens, box.space.votes

local BATCH = 500
-- The seconds by which the clocks of two machines may differ.
local APART = 60

-- The bytes of the longest rows, as Tarantool allocates them. A session's has an address of 45 bytes
-- and an agent of AGENT_LENGTH (data_interface/store.py).
local TOKEN_BYTES, SESSION_BYTES = 104, 340
-- Tarantool hands out its memory in slabs of 16 MB, each to rows or to indexes. Half of the slabs hold
-- rows; tokens and sessions may fill half of those. The rest is for: stickers and votes; rows that come
-- between two cleanings; rows deleted during a snapshot, which are freed at its end.
local ROOM = math.floor(box.cfg.memtx_memory / 2 ^ 25) * 2 ^ 23

local function limit(name)
    local row = counters:get('limit_' .. name)
    return row and row.value
end

-- Returns the numbers of tokens and sessions to keep: the limits, or the part of both that has room.
local function numbers()
    local most_tokens, most_sessions = limit('tokens'), limit('sessions')
    local needed = most_tokens * TOKEN_BYTES + most_sessions * SESSION_BYTES
    local part = math.min(1, ROOM / needed)
    return math.floor(most_tokens * part), math.floor(most_sessions * part)
end

-- Deletes the first rows of an index that are too old or too many, BATCH at most; returns their number.
-- `gone` names the counter to which that number is added.
local delete_batch = common.atomically(function(target, index, key, oldest, most, gone)
    local excess = target:len() - most
    local deleted = 0
    for _, row in index:pairs() do
        if deleted >= BATCH or (deleted >= excess and row[key] > oldest) then
            break
        end
        target:delete(row[1])
        deleted = deleted + 1
    end
    if gone ~= nil and deleted > 0 then
        common.count(gone, deleted)
    end
    return deleted
end)

-- Gives the time `newest` to rows that have a later one, BATCH at most; returns their number.
local renew_batch = common.atomically(function(target, index, key, newest)
    local later = index:select(newest + APART, {iterator = 'GT', limit = BATCH})
    for _, row in ipairs(later) do
        target:update(row[1], {{'=', key, newest}})
    end
    return #later
end)

local function repeated(batch, ...)
    while batch(...) == BATCH do
        fiber.yield()
    end
end

-- What fails does not keep the rest from being cleaned.
local function attempt(step, ...)
    local done, problem = pcall(step, ...)
    if not done then
        log.error('cleaning failed: %s', problem)
    end
end

-- Rows with times ahead of the clock count as new, and votes have no limit of age: why is in
-- data_interface/store.py.
local function clean()
    local now = math.floor(clock.realtime())
    local most_tokens, most_sessions = numbers()
    local last, oldest = now + limit('token_seconds'), now - limit('session_seconds')
    local expires, seen = tokens.index.expires, sessions.index.seen
    attempt(repeated, renew_batch, tokens, expires, 4, last)
    attempt(repeated, delete_batch, tokens, expires, 4, now, most_tokens)
    attempt(repeated, renew_batch, sessions, seen, 5, now)
    attempt(repeated, delete_batch, sessions, seen, 5, oldest, most_sessions, 'gone_sessions')
    attempt(repeated, delete_batch, votes, votes.index.number, 2, 0, limit('votes'))
end

local function clean_forever()
    fiber.name('site_clean')
    while true do
        -- A site of an earlier version has set other limits.
        if limit('token_seconds') ~= nil then
            attempt(clean)
        end
        common.limits_changed:wait((limit('clean_milliseconds') or 1000) / 1000)
    end
end

return clean_forever
