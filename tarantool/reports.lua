-- The procedures of the reports: sums over the votes of a span of time, or over the stickers. A span
-- is half open, since <= moment < till, in seconds since 1970. Each row is one result of a procedure,
-- because both requests that call procedures (CALL and CALL_16) send such results in the same way.
--
-- Tarantool has one thread for all requests, and a month of votes takes long to read: a scan yields
-- every TURN rows. Changes that other requests make meanwhile may be seen or not.
--
-- The first argument of each procedure is how many seconds it may take. A scan that takes longer is
-- given up, because whoever asked has gone.

local clock = require('clock')
local fiber = require('fiber')

local stickers, votes = box.space.stickers, box.space.votes

local TURN = 1000
local MOMENT, RATING = 2, 4
local LATE = 20003

local function check(deadline)
    if clock.monotonic() >= deadline then
        box.error({code = LATE, reason = 'A report was not made in time.'})
    end
end

-- Every row of an index from a key on.
local function rows_from(index, key, iterator)
    local seen, deadline = 0, fiber.self().storage.deadline
    local step, param, state = index:pairs(key, {iterator = iterator})
    return function()
        local row
        state, row = step(param, state)
        if state == nil then
            return nil
        end
        seen = seen + 1
        if seen % TURN == 0 then
            fiber.yield()
            check(deadline)
        end
        return row
    end
end

-- The votes of a span, by time.
local function votes_in(since, till)
    local following = rows_from(votes.index.moment, {since}, 'GE')
    return function()
        local vote = following()
        if vote ~= nil and vote[MOMENT] < till then
            return vote
        end
    end
end

local function every_sticker()
    return rows_from(stickers.index.id, {}, 'ALL')
end

local function by_rating(place)
    return stickers.index.rating:select({}, {offset = place, limit = 1})[1]
end

local sums = require('sums')({
    votes_in = votes_in,
    votes_before = function(till)
        return rows_from(votes.index.moment, {till - 1}, 'LE')
    end,
    every_sticker = every_sticker,
    sticker = function(id)
        return stickers:get(id)
    end,
    members = function(pack)
        return stickers.index.pack:pairs({pack})
    end,
    number = function()
        return stickers:len()
    end,
    rating_at = function(place)
        return by_rating(place)[RATING]
    end,
})

local reports = {}
for name, report in pairs(sums) do
    reports['site_' .. name] = function(seconds, ...)
        local deadline = clock.monotonic() + seconds
        check(deadline)
        fiber.self().storage.deadline = deadline
        return report(...)
    end
end

return reports
