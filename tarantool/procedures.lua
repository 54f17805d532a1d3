-- The procedures of the site: what is not a single native request. Each returns one row.

local clock = require('clock')
local digest = require('digest')
local common = require('common')

local atomically, count, counter = common.atomically, common.count, common.counter
local counters, packs, sessions = box.space.counters, box.space.packs, box.space.sessions
local stickers, tokens = box.space.stickers, box.space.tokens

local NOT_FOUND, CONFLICT = 20001, 20002

math.randomseed(tonumber(digest.urandom(6):hex(), 16))

local function refuse(code, ...)
    box.error({code = code, reason = string.format(...)})
end

local procedures = {}

-- LIMITS: a map with tokens, sessions, session_seconds, clean_milliseconds as names. One row back:
-- the ids of the spaces, and whether the stickers are loaded.
function procedures.site_open(limits)
    for name, value in pairs(limits) do
        local row = counters:get('limit_' .. name)
        if row == nil or row.value ~= value then
            counters:replace({'limit_' .. name, value})
            common.limits_changed:broadcast()
        end
    end
    return {stickers.id, packs.id, tokens.id, sessions.id, counters.id, counter('loaded') == 1}
end

-- Does nothing when it was done before: two servers may start at once.
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

-- Ids are drawn until one exists, which makes every sticker equally likely; index:random() does not.
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

-- 128 bits from OpenSSL's CSPRNG.
function procedures.site_new_id()
    return {digest.urandom(16):hex()}
end

procedures.site_cast_vote = atomically(function(plus, minus)
    local up, down = tokens:get(plus), tokens:get(minus)
    if up == nil or down == nil or up.mate ~= minus or down.mate ~= plus or plus == minus then
        return {false}
    end
    if math.min(up.expires, down.expires) <= clock.realtime() then
        return {false}
    end
    if stickers:get(up.sticker) == nil or stickers:get(down.sticker) == nil then
        return {false}
    end
    tokens:delete(plus)
    tokens:delete(minus)
    stickers:update(up.sticker, {{'+', 4, 1}, {'+', 5, 1}})
    stickers:update(down.sticker, {{'-', 4, 1}, {'+', 6, 1}})
    count('votes', 1)
    return {true}
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
    return stickers:update(id, {{'=', 3, title}})
end)

procedures.site_delete_sticker = atomically(function(pack, id)
    need_sticker(pack, id)
    return stickers:delete(id)
end)

return procedures
