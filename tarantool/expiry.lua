-- Keeps tokens, sessions and votes within the limits of age and number that `site_open` has set.

local clock = require('clock')
local fiber = require('fiber')
local log = require('log')
local common = require('common')

local counters, sessions = box.space.counters, box.space.sessions
local tokens, votes = box.space.tokens, box.space.votes

local BATCH = 500

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

local function clean(target, index, key, oldest, most, gone)
    while delete_batch(target, index, key, oldest, most, gone) == BATCH do
        fiber.yield()
    end
end

local function limit(name)
    local row = counters:get('limit_' .. name)
    return row and row.value
end

-- The age of a vote is counted from the last vote, by the site's clock, so that a site without visitors
-- keeps its history. If there are too many votes, those that came first are deleted.
local function clean_votes()
    local last = votes.index.number:max()
    if last == nil or limit('votes') == nil then
        return
    end
    clean(votes, votes.index.moment, 2, last.moment - limit('vote_seconds'), math.huge)
    clean(votes, votes.index.number, 2, 0, limit('votes'))
end

local function clean_forever()
    fiber.name('site_clean')
    while true do
        local pause = limit('clean_milliseconds')
        if pause ~= nil then
            local done, problem = pcall(function()
                local now = clock.realtime()
                clean(tokens, tokens.index.expires, 4, now, limit('tokens'))
                local oldest = now - limit('session_seconds')
                clean(sessions, sessions.index.seen, 5, oldest, limit('sessions'), 'gone_sessions')
                clean_votes()
            end)
            if not done then
                log.error('cleaning failed: %s', problem)
            end
        end
        common.limits_changed:wait((pause or 1000) / 1000)
    end
end

return clean_forever
