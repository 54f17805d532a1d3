-- Index, Good and Bad as one procedure each, which is one transaction.

local clock = require('clock')
local digest = require('digest')
local common = require('common')
local random_sticker = require('procedures').site_random_sticker

local atomically, count, refuse = common.atomically, common.count, common.refuse
local sessions, stickers, tokens = box.space.sessions, box.space.stickers, box.space.tokens

-- How often the second sticker is drawn before it counts as the only one.
local DRAWS = 4

local pages = {}

local function new_id()
    return digest.urandom(16):hex()
end

local function two_stickers()
    local left = random_sticker()
    for _ = 1, DRAWS do
        local right = random_sticker()
        if left == nil or right == nil then
            refuse(common.NOT_FOUND, 'There are no stickers to choose between.')
        end
        if right.id ~= left.id then
            return left, right
        end
    end
    refuse(common.NOT_FOUND, 'There are no two different stickers to choose between.')
end

-- Counts a visit; returns the session, a new one if `known` is nil.
local function visit(known, address, agent, now)
    -- A nil that was sent is not Lua's, and true in `known or new_id()`.
    local session = known == nil and new_id() or known
    sessions:upsert({session, address, agent, 1, now}, {
        {'=', 2, address}, {'=', 3, agent}, {'+', 4, 1}, {'=', 5, now},
    })
    return session
end

-- Returns the session, and two stickers with their tokens, which live for so many seconds.
pages.site_ballot = atomically(function(known, address, agent, seconds)
    local left, right = two_stickers()
    local now, plus, minus = math.floor(clock.realtime()), new_id(), new_id()
    tokens:insert({plus, left.id, minus, now + seconds})
    tokens:insert({minus, right.id, plus, now + seconds})
    local session = visit(known, address, agent, now)
    count('views', 1)
    return {session, left, plus, right, minus}
end)

-- Returns the session, and the stickers at one end of the ranking.
pages.site_podium = atomically(function(known, address, agent, limit, best)
    local session = visit(known, address, agent, math.floor(clock.realtime()))
    local order = {iterator = best and 'LE' or 'GE', limit = limit}
    return {session, stickers.index.rating:select({}, order)}
end)

return pages
