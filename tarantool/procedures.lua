-- The procedures of the site, for what no single request of Tarantool can do. Each returns one row.

local clock = require('clock')
local digest = require('digest')
local common = require('common')

local atomically, count, counter = common.atomically, common.count, common.counter
local refuse, NOT_FOUND, CONFLICT = common.refuse, common.NOT_FOUND, common.CONFLICT
local counters, packs, sessions = box.space.counters, box.space.packs, box.space.sessions
local stickers, tokens, votes = box.space.stickers, box.space.tokens, box.space.votes

local DAY = 86400
-- Of the arguments and results of the procedures; the site refuses another.
local VERSION = 3

math.randomseed(tonumber(digest.urandom(6):hex(), 16))

local procedures = {}

-- All limits change at once: cleaning that began between two of them would miss the second.
local set_limits = atomically(function(limits)
    local changed = false
    for name, value in pairs(limits) do
        local row = counters:get('limit_' .. name)
        if row == nil or row.value ~= value then
            counters:replace({'limit_' .. name, value})
            changed = true
        end
    end
    return changed
end)

-- Sets the limits, a map with the names tokens, token_seconds, sessions, session_seconds, votes and
-- clean_milliseconds. Returns the ids of the spaces, whether the stickers are loaded, and VERSION.
function procedures.site_open(limits)
    if set_limits(limits) then
        common.limits_changed:broadcast()
    end
    return {
        stickers.id, packs.id, tokens.id, sessions.id, counters.id, votes.id,
        counter('loaded') == 1, VERSION,
    }
end

-- Loads packs and stickers, unless another server has done so: two may start at once.
procedures.site_load = atomically(function(new_packs, new_stickers)
    if counter('loaded') == 1 then
        return {false}
    end
    for _, row in ipairs(new_packs) do
        packs:insert(row)
    end
    for _, row in ipairs(new_stickers) do
        stickers:insert(row)
    end
    counters:replace({'last_pack', packs.index.id:max().id})
    counters:replace({'last_sticker', stickers.index.id:max().id})
    counters:replace({'loaded', 1})
    return {true}
end)

-- Draws ids until one exists, which makes every sticker equally likely; index:random() does not.
function procedures.site_random_sticker()
    local last = counter('last_sticker')
    for _ = 1, 50 do
        local found = last > 0 and stickers:get(math.random(last))
        if found then
            return found
        end
    end
    local number = stickers:len()
    if number > 0 then
        return stickers:select({}, {offset = math.random(number) - 1, limit = 1})[1]
    end
end

-- Returns 128 bits from OpenSSL's CSPRNG, and the time: tokens and sessions expire by this clock.
function procedures.site_new_id()
    return {digest.urandom(16):hex(), math.floor(clock.realtime())}
end

local function next_vote()
    local last = votes.index.number:max()
    return last and last.number + 1 or 1
end

-- Counts a vote. The voter is a number, 0 if unknown; the moment is the site's, in seconds since 1970.
procedures.site_cast_vote = atomically(function(plus, minus, voter, moment)
    local up, down = tokens:get(plus), tokens:get(minus)
    if up == nil or down == nil or up.mate ~= minus or down.mate ~= plus or plus == minus then
        return {false}
    end
    if up.sticker == down.sticker or math.min(up.expires, down.expires) <= clock.realtime() then
        return {false}
    end
    if stickers:get(up.sticker) == nil or stickers:get(down.sticker) == nil then
        return {false}
    end
    tokens:delete(plus)
    tokens:delete(minus)
    stickers:update(up.sticker, {{'+', 4, 1}, {'+', 5, 1}})
    stickers:update(down.sticker, {{'-', 4, 1}, {'+', 6, 1}})
    votes:insert({next_vote(), moment, up.sticker, down.sticker, voter})
    count('votes', 1)
    return {true}
end)

-- Keeps votes of one day of the past, as rows {moment, winner, loser, voter}, unless that day has some.
-- Returns how many were kept.
procedures.site_remember = atomically(function(past)
    local day = math.floor(past[1][1] / DAY)
    local found = votes.index.moment:select({day * DAY}, {iterator = 'GE', limit = 1})[1]
    if found ~= nil and found.moment < (day + 1) * DAY then
        return {0}
    end
    local number = next_vote()
    for place, row in ipairs(past) do
        votes:insert({number + place - 1, unpack(row)})
    end
    return {#past}
end)

function procedures.site_statistics()
    local visitors = sessions:len() + counter('gone_sessions')
    return {packs:len(), stickers:len(), visitors, counter('views'), counter('votes')}
end

local function check_title(title)
    if packs.index.title:get(title) ~= nil then
        refuse(CONFLICT, 'There is already a pack with this title.')
    end
end

local function need_pack(id)
    if packs:get(id) == nil then
        refuse(NOT_FOUND, 'There is no pack %d.', id)
    end
end

local function need_sticker(pack, id)
    local found = stickers:get(id)
    if found == nil or found.pack ~= pack then
        refuse(NOT_FOUND, 'There is no sticker %d in pack %d.', id, pack)
    end
end

procedures.site_create_pack = atomically(function(title)
    check_title(title)
    return packs:insert({count('last_pack', 1), title})
end)

procedures.site_rename_pack = atomically(function(id, title)
    need_pack(id)
    if packs:get(id).title ~= title then
        check_title(title)
    end
    return packs:update(id, {{'=', 2, title}})
end)

procedures.site_delete_pack = atomically(function(id)
    need_pack(id)
    if stickers.index.pack:count(id) > 0 then
        refuse(CONFLICT, 'Pack %d still has stickers.', id)
    end
    return packs:delete(id)
end)

procedures.site_create_sticker = atomically(function(pack, title)
    need_pack(pack)
    return stickers:insert({count('last_sticker', 1), pack, title, 0, 0, 0})
end)

procedures.site_rename_sticker = atomically(function(pack, id, title)
    need_sticker(pack, id)
    count('edits', 1)
    return stickers:update(id, {{'=', 3, title}})
end)

procedures.site_delete_sticker = atomically(function(pack, id)
    need_sticker(pack, id)
    return stickers:delete(id)
end)

return procedures
