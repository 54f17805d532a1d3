-- The sticker site's database: spaces, procedures, expiry. For Tarantool 2.6 and newer, 3.x included.
--
-- Run it as `tarantool init.lua`. Environment:
--   TARANTOOL_LISTEN    address, default 127.0.0.1:3301; `unix/:/path` for a Unix socket
--   TARANTOOL_DIR       folder of the data, default the current one
--   TARANTOOL_MEMORY    bytes for tuples and indexes, with K, M or G; default 256M, at least 32M
--   TARANTOOL_USER      name of the site's user, default site
--   TARANTOOL_PASSWORD  its password; without one only a Unix socket is served, to whoever can reach it
--
-- Limits of age and number come from the site (`site_open`), so that they are declared once.

local fiber = require('fiber')
local fio = require('fio')

-- The path is absolute because box.cfg changes the current folder.
local here = fio.abspath(fio.dirname(debug.getinfo(1, 'S').source:sub(2)))
package.path = here .. '/?.lua;' .. package.path

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
    -- One connection carries the requests of all pages, which are more than the defaults allow.
    readahead = 256 * 2 ^ 10,
    net_msg_max = 2048,
}

-- The drivers use the ids, which are part of the layout: that saves them the look-up of names.
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

-- The history of votes. The number is the order in which they came; the moment is by the site's clock.
local votes = space(5406, 'votes', {
    {name = 'number', type = 'unsigned'},
    {name = 'moment', type = 'unsigned'},
    {name = 'winner', type = 'unsigned'},
    {name = 'loser', type = 'unsigned'},
    {name = 'voter', type = 'unsigned'},
}, {
    {id = 0, name = 'number', fields = {1}, unique = true},
    {id = 1, name = 'moment', fields = {2, 1}, unique = true},
})

for _, name in ipairs({
    'views', 'votes', 'edits', 'gone_sessions', 'last_sticker', 'last_pack', 'loaded',
}) do
    if counters:get(name) == nil then
        counters:insert({name, 0})
    end
end

local procedures = require('procedures')
for _, file in ipairs({'pages', 'reports'}) do
    for name, procedure in pairs(require(file)) do
        procedures[name] = procedure
    end
end

local function permit(change, name, options)
    for _, each in ipairs({stickers, packs, tokens, sessions, counters, votes}) do
        change(name, 'read,write', 'space', each.name, options)
    end
    for each in pairs(procedures) do
        change(name, 'execute', 'function', each, options)
    end
end

for name, procedure in pairs(procedures) do
    rawset(_G, name, procedure)
    box.schema.func.create(name, {if_not_exists = true})
end
-- Without a password only the server's own user reaches the socket, and that user may run any program
-- anyway. So guest may run any Lua, which the toolbench measures.
local function permit_lua(change, options)
    change('guest', 'execute', 'universe', nil, options)
end

if password ~= nil then
    box.schema.user.create(user, {if_not_exists = true})
    box.schema.user.passwd(user, password)
    permit(box.schema.user.grant, user, {if_not_exists = true})
    permit(box.schema.user.revoke, 'guest', {if_exists = true})
    permit_lua(box.schema.user.revoke, {if_exists = true})
else
    permit(box.schema.user.grant, 'guest', {if_not_exists = true})
    permit_lua(box.schema.user.grant, {if_not_exists = true})
end
-- checkpoint_wal_threshold counts what one run wrote. Without a snapshot at the start and at the end of
-- each, many short runs would leave a log that takes longer to read at every start.
local function snapshot()
    local done, problem = pcall(box.snapshot)
    if not done then
        require('log').warn('no snapshot: %s', problem)
    end
end
box.ctl.on_shutdown(snapshot)
-- This is done before anyone writes: rows deleted during a snapshot keep their memory until its end.
snapshot()
fiber.create(require('expiry'))

-- Listening comes last, so that every client finds everything in place.
box.cfg{listen = listen}
