-- The sticker site's database: spaces, procedures, expiry. For Tarantool 2.6 and newer, 3.x included.
--
-- Run it as `tarantool init.lua`. Environment:
--   TARANTOOL_LISTEN    address, default 127.0.0.1:3301; `unix/:/path` for a Unix socket
--   TARANTOOL_DIR       folder of the data, default the current one
--   TARANTOOL_MEMORY    bytes for tuples and indexes, with K, M or G; default 256M
--   TARANTOOL_USER      name of the site's user, default site
--   TARANTOOL_PASSWORD  its password; without one only a Unix socket is served, to whoever can reach it
--
-- Limits of age and number come from the site (`site_open`), so that they are declared once.

local clock = require('clock')
local digest = require('digest')
local fiber = require('fiber')
local log = require('log')

local NOT_FOUND, CONFLICT = 20001, 20002
local BATCH = 500

local function environment(name, default)
    local value = os.getenv(name)
    if value == nil or value == '' then
        return default
    end
    return value
end

local function fail(message)
    io.stderr:write('init.lua: ' .. message .. '\n')
    os.exit(1)
end

local function bytes(text)
    local units = {[''] = 1, K = 2 ^ 10, M = 2 ^ 20, G = 2 ^ 30}
    local number, unit = text:upper():match('^(%d+)([KMG]?)$')
    if number == nil or number * units[unit] < 2 ^ 25 then
        fail('TARANTOOL_MEMORY must be a size of at least 32M, such as 256M, not ' .. text)
    end
    return tonumber(number) * units[unit]
end

local listen = environment('TARANTOOL_LISTEN', '127.0.0.1:3301')
local user = environment('TARANTOOL_USER', 'site')
local password = environment('TARANTOOL_PASSWORD')
if password == nil and not listen:match('^unix/:') then
    fail('TARANTOOL_PASSWORD must be set to serve ' .. listen)
end

box.cfg{
    work_dir = environment('TARANTOOL_DIR', '.'),
    memtx_memory = bytes(environment('TARANTOOL_MEMORY', '256M')),
    wal_mode = 'write',
    checkpoint_count = 1,
    checkpoint_wal_threshold = 128 * 2 ^ 20,
    log_level = 4,
    -- One connection carries the requests of all pages: room for more of them than by default.
    readahead = 256 * 2 ^ 10,
    net_msg_max = 2048,
}

-- The ids are part of the layout: the drivers use them, which saves them a look-up of the names.
local function space(id, name, format, indexes)
    local made = box.schema.space.create(name, {id = id, format = format, if_not_exists = true})
    if made.id ~= id then
        fail('the space ' .. name .. ' exists and is not the site\'s: use a Tarantool of its own')
    end
    for _, index in ipairs(indexes) do
        local parts = {}
        for _, field in ipairs(index.fields) do
            table.insert(parts, {field = field})
        end
        made:create_index(index.name, {
            id = index.id, parts = parts, unique = index.unique, if_not_exists = true,
        })
    end
    return made
end

local stickers = space(5401, 'stickers', {
    {name = 'id', type = 'unsigned'},
    {name = 'pack', type = 'unsigned'},
    {name = 'title', type = 'string'},
    {name = 'rating', type = 'integer'},
    {name = 'up', type = 'unsigned'},
    {name = 'down', type = 'unsigned'},
}, {
    {id = 0, name = 'id', fields = {1}, unique = true},
    {id = 1, name = 'rating', fields = {4, 1}, unique = true},
    {id = 2, name = 'pack', fields = {2, 1}, unique = true},
})

local packs = space(5402, 'packs', {
    {name = 'id', type = 'unsigned'},
    {name = 'title', type = 'string'},
}, {
    {id = 0, name = 'id', fields = {1}, unique = true},
    {id = 1, name = 'title', fields = {2}, unique = true},
})

local tokens = space(5403, 'tokens', {
    {name = 'token', type = 'string'},
    {name = 'sticker', type = 'unsigned'},
    {name = 'mate', type = 'string'},
    {name = 'expires', type = 'unsigned'},
}, {
    {id = 0, name = 'token', fields = {1}, unique = true},
    {id = 1, name = 'expires', fields = {4}, unique = false},
})

local sessions = space(5404, 'sessions', {
    {name = 'id', type = 'string'},
    {name = 'address', type = 'string'},
    {name = 'agent', type = 'string'},
    {name = 'visits', type = 'unsigned'},
    {name = 'seen', type = 'unsigned'},
}, {
    {id = 0, name = 'id', fields = {1}, unique = true},
    {id = 1, name = 'seen', fields = {5}, unique = false},
})

local counters = space(5405, 'counters', {
    {name = 'name', type = 'string'},
    {name = 'value', type = 'unsigned'},
}, {
    {id = 0, name = 'name', fields = {1}, unique = true},
})

local function counter(name)
    return counters:get(name).value
end

local function count(name, number)
    return counters:update(name, {{'+', 2, number}}).value
end

for _, name in ipairs({'views', 'votes', 'gone_sessions', 'last_sticker', 'last_pack', 'loaded'}) do
    if counters:get(name) == nil then
        counters:insert({name, 0})
    end
end

-- A change of several rows: all of them or none. Nothing yields between begin and commit.
local function atomically(change)
    return function(...)
        box.begin()
        local done, result = pcall(change, ...)
        if not done then
            box.rollback()
            error(result)
        end
        box.commit()
        return result
    end
end

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

-- Requests that came over the network so far, this one included: for tests and for the race.
function procedures.site_requests()
    return {box.stat.net().REQUESTS.total}
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

-- Deletes the first rows by time that are too old or too many, BATCH at most; returns how many.
local delete_batch = atomically(function(target, index, key, oldest, most, gone)
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
        count(gone, deleted)
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
            end)
            if not done then
                log.error('cleaning failed: %s', problem)
            end
        end
        fiber.sleep((pause or 1000) / 1000)
    end
end

local function permit(change, name, options)
    for _, each in ipairs({stickers, packs, tokens, sessions, counters}) do
        change(name, 'read,write', 'space', each.name, options)
    end
    for each in pairs(procedures) do
        change(name, 'execute', 'function', each, options)
    end
end

math.randomseed(tonumber(digest.urandom(6):hex(), 16))
for name, procedure in pairs(procedures) do
    rawset(_G, name, procedure)
    box.schema.func.create(name, {if_not_exists = true})
end
if password ~= nil then
    box.schema.user.create(user, {if_not_exists = true})
    box.schema.user.passwd(user, password)
    permit(box.schema.user.grant, user, {if_not_exists = true})
    permit(box.schema.user.revoke, 'guest', {if_exists = true})
else
    permit(box.schema.user.grant, 'guest', {if_not_exists = true})
end
fiber.create(clean_forever)

-- Last, so that who can connect finds everything in place.
box.cfg{listen = listen}
