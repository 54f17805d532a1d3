-- The functions of the site, for what no single command can do. Each is one transaction. The library is
-- made of a first line that names it, ``local make_sums = (function() ... end)()`` with the sums of the
-- reports (tarantool/sums.lua), and this file.
--
-- Keys, all below ``stickers:``
--   packs, titles     hashes: title by id, id by title
--   rows              hash: a sticker as JSON, [id, pack, title, rating, up, down], by id
--   ranking           sorted set: stickers by rating, then by id, which has twelve digits for that
--   pack:<id>         set of a pack's stickers
--   token:<token>     "<sticker> <mate>"; it expires by itself
--   tokens            list of tokens in order of age: if there are too many, the oldest go
--   session:<id>      hash: visits, address, agent; it expires by itself
--   sessions          sorted set: sessions by their last visit; if there are too many, the oldest go
--   history, arrived  the votes by time (sorted set) and in order of arrival (list), as texts of
--                     "<number> <moment> <winner> <loser> <voter>"; the first that came go first
--   views, votes, edits, visitors, visit, vote, last_pack, last_sticker    numbers

local DAY = 86400
local P = 'stickers:'

-- The server has no ``redis.call`` while it loads a library.
local function call(...)
    return redis.call(...)
end

local function key(name, id)
    return P .. name .. ':' .. id
end

local function counter(name)
    return tonumber(call('GET', P .. name) or 0)
end

local function refuse(code, text)
    return redis.error_reply(code .. ' ' .. text)
end

local function member(id)
    return string.format('%012d', id)
end

local function sticker(id)
    local row = call('HGET', P .. 'rows', id)
    return row and cjson.decode(row)
end

-- Keeps a sticker, and returns its row as text.
local function keep(row)
    local text = cjson.encode(row)
    call('HSET', P .. 'rows', row[1], text)
    call('ZADD', P .. 'ranking', row[4], member(row[1]))
    call('SADD', key('pack', row[2]), row[1])
    return text
end

-- Removes from the front of a list what is too much, and calls `forget` with each element.
local function trim(list, most, forget)
    while call('LLEN', P .. list) > most do
        forget(call('LPOP', P .. list))
    end
end

local functions, readers = {}, {}

function functions.load(packs, stickers)
    if call('EXISTS', P .. 'loaded') == 1 then
        return 0
    end
    packs, stickers = cjson.decode(packs), cjson.decode(stickers)
    for _, pack in ipairs(packs) do
        call('HSET', P .. 'packs', pack[1], pack[2])
        call('HSET', P .. 'titles', pack[2], pack[1])
    end
    for _, row in ipairs(stickers) do
        keep(row)
    end
    call('SET', P .. 'last_pack', #packs)
    call('SET', P .. 'last_sticker', #stickers)
    call('SET', P .. 'loaded', 1)
    return 1
end

function functions.keep_token(token, id, mate, seconds, most)
    call('SET', key('token', token), id .. ' ' .. mate, 'EX', seconds)
    call('RPUSH', P .. 'tokens', token)
    trim('tokens', tonumber(most), function(oldest)
        call('DEL', key('token', oldest))
    end)
    return 1
end

function functions.touch_session(session, address, agent, seconds, most)
    local at = key('session', session)
    local visits = call('HINCRBY', at, 'visits', 1)
    call('HSET', at, 'address', address, 'agent', agent)
    call('EXPIRE', at, seconds)
    if visits == 1 then
        call('INCR', P .. 'visitors')
    end
    call('ZADD', P .. 'sessions', call('INCR', P .. 'visit'), session)
    while call('ZCARD', P .. 'sessions') > tonumber(most) do
        call('DEL', key('session', call('ZPOPMIN', P .. 'sessions')[1]))
    end
    return 1
end

-- The best stickers if `best` is '1', or the worst.
function readers.ranked(limit, best)
    if tonumber(limit) < 1 then
        return {}
    end
    local order = best == '1' and {'REV'} or {}
    local found = call('ZRANGE', P .. 'ranking', 0, limit - 1, unpack(order))
    for place, id in ipairs(found) do
        found[place] = tonumber(id)
    end
    return #found > 0 and call('HMGET', P .. 'rows', unpack(found)) or {}
end

local function remember(moment, winner, loser, voter)
    local number = call('INCR', P .. 'vote')
    local vote = string.format('%012d %s %s %s %s', number, moment, winner, loser, voter)
    call('ZADD', P .. 'history', moment, vote)
    call('RPUSH', P .. 'arrived', vote)
end

local function trim_history(most)
    trim('arrived', tonumber(most), function(first)
        call('ZREM', P .. 'history', first)
    end)
end

function functions.cast_vote(plus, minus, voter, moment, most)
    local up, down = call('GET', key('token', plus)), call('GET', key('token', minus))
    if not up or not down then
        return 0
    end
    local winner_id, mate = string.match(up, '^(%d+) (.*)$')
    local loser_id, other = string.match(down, '^(%d+) (.*)$')
    local winner, loser = sticker(winner_id), sticker(loser_id)
    if mate ~= minus or other ~= plus or winner_id == loser_id or not winner or not loser then
        return 0
    end
    call('DEL', key('token', plus), key('token', minus))
    winner[4], winner[5] = winner[4] + 1, winner[5] + 1
    loser[4], loser[6] = loser[4] - 1, loser[6] + 1
    keep(winner)
    keep(loser)
    remember(moment, winner_id, loser_id, voter)
    trim_history(most)
    call('INCR', P .. 'votes')
    return 1
end

-- Keeps votes of one past day, rows of {moment, winner, loser, voter}, unless that day has some.
-- Returns how many were kept. Numbers stay texts, as JSON would round them.
function functions.remember(past, most)
    local votes = {}
    for moment, winner, loser, voter in string.gmatch(past, '(%d+) (%d+) (%d+) (%d+)') do
        votes[#votes + 1] = {moment, winner, loser, voter}
    end
    local midnight = math.floor(votes[1][1] / DAY) * DAY
    if call('ZCOUNT', P .. 'history', midnight, midnight + DAY - 1) > 0 then
        return 0
    end
    for _, vote in ipairs(votes) do
        remember(unpack(vote))
    end
    trim_history(most)
    return #votes
end

function readers.statistics()
    local packs, stickers = call('HLEN', P .. 'packs'), call('HLEN', P .. 'rows')
    return {packs, stickers, counter('visitors'), counter('views'), counter('votes')}
end

local function members(pack)
    local ids = call('SMEMBERS', key('pack', pack))
    table.sort(ids, function(one, other)
        return tonumber(one) < tonumber(other)
    end)
    return #ids > 0 and call('HMGET', P .. 'rows', unpack(ids)) or {}
end

function readers.stickers(pack)
    return members(pack)
end

function functions.create_pack(title)
    if call('HEXISTS', P .. 'titles', title) == 1 then
        return refuse('CONFLICT', 'There is already a pack with this title.')
    end
    local id = call('INCR', P .. 'last_pack')
    call('HSET', P .. 'packs', id, title)
    call('HSET', P .. 'titles', title, id)
    return id
end

function functions.rename_pack(id, title)
    local before = call('HGET', P .. 'packs', id)
    if not before then
        return refuse('NOTFOUND', 'There is no pack ' .. id .. '.')
    end
    if before ~= title then
        if call('HEXISTS', P .. 'titles', title) == 1 then
            return refuse('CONFLICT', 'There is already a pack with this title.')
        end
        call('HDEL', P .. 'titles', before)
        call('HSET', P .. 'titles', title, id)
        call('HSET', P .. 'packs', id, title)
    end
    return 1
end

function functions.delete_pack(id)
    local title = call('HGET', P .. 'packs', id)
    if not title then
        return refuse('NOTFOUND', 'There is no pack ' .. id .. '.')
    end
    if call('EXISTS', key('pack', id)) == 1 then
        return refuse('CONFLICT', 'Pack ' .. id .. ' still has stickers.')
    end
    call('HDEL', P .. 'titles', title)
    call('HDEL', P .. 'packs', id)
    return 1
end

function functions.create_sticker(pack, title)
    if call('HEXISTS', P .. 'packs', pack) == 0 then
        return refuse('NOTFOUND', 'There is no pack ' .. pack .. '.')
    end
    return keep({call('INCR', P .. 'last_sticker'), tonumber(pack), title, 0, 0, 0})
end

local function found_in(pack, id)
    local row = sticker(id)
    return row and row[2] == tonumber(pack) and row
end

local function no_sticker(pack, id)
    return refuse('NOTFOUND', 'There is no sticker ' .. id .. ' in pack ' .. pack .. '.')
end

function functions.rename_sticker(pack, id, title)
    local row = found_in(pack, id)
    if not row then
        return no_sticker(pack, id)
    end
    row[3] = title
    call('INCR', P .. 'edits')
    return keep(row)
end

function functions.delete_sticker(pack, id)
    if not found_in(pack, id) then
        return no_sticker(pack, id)
    end
    call('HDEL', P .. 'rows', id)
    call('ZREM', P .. 'ranking', member(id))
    call('SREM', key('pack', pack), id)
    return 1
end

-- The elements of a list as `decoded` returns them, one after another.
local function each(list, decoded)
    local at = 0
    return function()
        at = at + 1
        return list[at] and decoded(list[at])
    end
end

local function vote_of(text)
    local number, moment, winner, loser, voter =
        string.match(text, '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
    return {
        tonumber(number), tonumber(moment), tonumber(winner), tonumber(loser), tonumber(voter),
    }
end

local sums = make_sums({
    votes_in = function(since, till)
        return each(call('ZRANGE', P .. 'history', since, '(' .. till, 'BYSCORE'), vote_of)
    end,
    votes_before = function(till)
        return each(call('ZRANGE', P .. 'history', '(' .. till, 0, 'BYSCORE', 'REV'), vote_of)
    end,
    every_sticker = function()
        return each(call('HVALS', P .. 'rows'), cjson.decode)
    end,
    sticker = function(id)
        return sticker(id) or nil
    end,
    members = function(pack)
        local rows = members(pack)
        for place, text in ipairs(rows) do
            rows[place] = cjson.decode(text)
        end
        return ipairs(rows)
    end,
    number = function()
        return call('HLEN', P .. 'rows')
    end,
    rating_at = function(place)
        return tonumber(call('ZRANGE', P .. 'ranking', place, place, 'WITHSCORES')[2])
    end,
})

-- A report takes its arguments as a list in JSON.
local function report(name, arguments)
    return {sums[name](unpack(cjson.decode(arguments)))}
end

-- The first argument of both is the name of one of the functions above. The server has no loops while
-- it loads a library, so they cannot be registered one by one.
redis.register_function('stickers_change', function(_, arguments)
    return functions[arguments[1]](unpack(arguments, 2))
end)

redis.register_function{
    function_name = 'stickers_read',
    callback = function(_, arguments)
        local read = readers[arguments[1]]
        return read and read(unpack(arguments, 2)) or report(unpack(arguments))
    end,
    flags = {'no-writes'},
}
