-- The sums of the reports, for every database that runs Lua: a function of the store, which has
--   votes_in(since, till)   the votes of a span by time, as rows {number, moment, winner, loser, voter}
--   votes_before(till)      the votes before a moment, the latest first
--   every_sticker()         all stickers, as rows {id, pack, title, rating, up, down}
--   sticker(id)             that row, or nil
--   members(pack)           pairs of anything and a sticker of that pack, by id
--   number(), rating_at(place)   how many stickers there are, and the rating at a place, 0 the lowest
-- A span is half open, since <= moment < till, in seconds since 1970. Each result is a row.

local HOUR, DAY = 3600, 86400
-- A voter of 44 bits times this, plus an hour or a day of the span, is a unique number.
local APART = 64
-- Fields are read by number: a name is looked up each time, which takes longer than all the rest.
local MOMENT, WINNER, LOSER, VOTER = 2, 3, 4, 5
local ID, PACK, TITLE, RATING, UP, DOWN = 1, 2, 3, 4, 5, 6

return function(store)

local votes_in, every_sticker = store.votes_in, store.every_sticker

local function add(counts, key, number)
    counts[key] = (counts[key] or 0) + number
end

local function rows_of(counts)
    local rows = {}
    for key, value in pairs(counts) do
        table.insert(rows, {key, value})
    end
    return unpack(rows)
end

-- Rows for the `limit` highest scores, for equal scores the lowest number first. `row` makes the row of
-- a number, or returns nil if that was deleted.
local function highest(scores, limit, row)
    local found = {}
    for number, score in pairs(scores) do
        local at = #found
        while at > 0 and (score > found[at].score
                or score == found[at].score and number < found[at].number) do
            at = at - 1
        end
        local made = at < limit and row(number, score) or nil
        if made ~= nil then
            table.insert(found, at + 1, {number = number, score = score, row = made})
            found[limit + 1] = nil
        end
    end
    local rows = {}
    for _, one in ipairs(found) do
        table.insert(rows, one.row)
    end
    return unpack(rows)
end

-- How often each sticker won, and how often it lost.
local function duels(since, till)
    local won, lost = {}, {}
    for vote in votes_in(since, till) do
        add(won, vote[WINNER], 1)
        add(lost, vote[LOSER], 1)
    end
    return won, lost
end

-- The sum over each pack of a count by sticker.
local function by_pack(counts)
    local found = {}
    for number, count in pairs(counts) do
        local sticker = store.sticker(number)
        if sticker ~= nil then
            add(found, sticker[PACK], count)
        end
    end
    return found
end

-- The first count minus the second, by key.
local function difference(more, less)
    local found = {}
    for key, value in pairs(more) do
        add(found, key, value)
    end
    for key, value in pairs(less) do
        add(found, key, -value)
    end
    return found
end

local reports = {}

function reports.figures(since, till)
    local number, voters, known = 0, 0, {}
    for vote in votes_in(since, till) do
        local voter = vote[VOTER]
        number = number + 1
        if voter > 0 and not known[voter] then
            known[voter] = true
            voters = voters + 1
        end
    end
    return {number, voters}
end

function reports.per_slot(since, till, seconds)
    local counts = {}
    for vote in votes_in(since, till) do
        add(counts, math.floor((vote[MOMENT] - since) / seconds), 1)
    end
    return rows_of(counts)
end

function reports.winners(since, till, limit)
    return highest(duels(since, till), limit, function(number, wins)
        local sticker = store.sticker(number)
        return sticker and {sticker[ID], sticker[TITLE], wins}
    end)
end

function reports.latest(till, limit)
    local rows = {}
    for vote in store.votes_before(till) do
        local winner, loser = store.sticker(vote[WINNER]), store.sticker(vote[LOSER])
        if winner ~= nil and loser ~= nil then
            table.insert(rows, {vote[MOMENT], winner[ID], winner[TITLE], loser[ID], loser[TITLE]})
        end
        if #rows >= limit then
            break
        end
    end
    return unpack(rows)
end

function reports.rating_bins(width)
    local counts = {}
    for sticker in every_sticker() do
        add(counts, math.floor(sticker[RATING] / width), 1)
    end
    return rows_of(counts)
end

function reports.attention_bins(width)
    local counts = {}
    for sticker in every_sticker() do
        add(counts, math.floor((sticker[UP] + sticker[DOWN]) / width), 1)
    end
    return rows_of(counts)
end

-- Quartiles as percentile_disc of SQL defines them: the lowest rating that at least so many quarters of
-- all ratings do not exceed.
function reports.spread()
    local number = store.number()
    if number == 0 then
        return {0, 0, 0, 0, 0, 0}
    end
    local function quarter(quarters)
        return store.rating_at(math.ceil(number * quarters / 4) - 1)
    end
    local lowest, most = store.rating_at(0), store.rating_at(number - 1)
    return {number, lowest, quarter(1), quarter(2), quarter(3), most}
end

function reports.contested(most, limit)
    local scores = {}
    for sticker in every_sticker() do
        if math.abs(sticker[RATING]) <= most then
            scores[sticker[ID]] = sticker[UP] + sticker[DOWN]
        end
    end
    return highest(scores, limit, function(number)
        local sticker = store.sticker(number)
        return sticker and {sticker[ID], sticker[TITLE], sticker[UP], sticker[DOWN]}
    end)
end

-- The stickers that gained most, with the sign 1, or lost most, with -1.
local function movers(since, till, limit, sign)
    local scores = {}
    for number, gained in pairs(difference(duels(since, till))) do
        if gained * sign > 0 then
            scores[number] = gained * sign
        end
    end
    return highest(scores, limit, function(number, score)
        local sticker = store.sticker(number)
        return sticker and {sticker[ID], sticker[TITLE], sticker[RATING], score * sign}
    end)
end

function reports.rising(since, till, limit)
    return movers(since, till, limit, 1)
end

function reports.falling(since, till, limit)
    return movers(since, till, limit, -1)
end

function reports.pack_gains(since, till, limit)
    local won, lost = duels(since, till)
    won, lost = by_pack(won), by_pack(lost)
    return highest(difference(won, lost), limit, function(pack)
        return {pack, won[pack] or 0, lost[pack] or 0}
    end)
end

function reports.pack_changes(since, till)
    return rows_of(by_pack(difference(duels(since, till))))
end

function reports.pack_days(since, till, shown)
    local pack_of, days = {}, {}
    for _, pack in ipairs(shown) do
        days[pack] = {}
        for _, sticker in store.members(pack) do
            pack_of[sticker[ID]] = pack
        end
    end
    for vote in votes_in(since, till) do
        local day = math.floor((vote[MOMENT] - since) / DAY)
        local up, down = pack_of[vote[WINNER]], pack_of[vote[LOSER]]
        if up ~= nil then
            add(days[up], day, 1)
        end
        if down ~= nil then
            add(days[down], day, -1)
        end
    end
    local rows = {}
    for pack, gains in pairs(days) do
        for day, gained in pairs(gains) do
            table.insert(rows, {pack, day, gained})
        end
    end
    return unpack(rows)
end

function reports.pack_leaders(shown)
    local rows = {}
    for _, pack in ipairs(shown) do
        local best
        for _, sticker in store.members(pack) do
            if best == nil or sticker[RATING] > best[RATING] then
                best = sticker
            end
        end
        if best ~= nil then
            table.insert(rows, {pack, best[ID], best[TITLE], best[RATING]})
        end
    end
    return unpack(rows)
end

function reports.hours(since, till)
    local number, voters, known = {}, {}, {}
    for vote in votes_in(since, till) do
        local hour, voter = math.floor(vote[MOMENT] % DAY / HOUR), vote[VOTER]
        local key = voter * APART + hour
        add(number, hour, 1)
        if voter > 0 and not known[key] then
            known[key] = true
            add(voters, hour, 1)
        end
    end
    local rows = {}
    for hour, count in pairs(number) do
        table.insert(rows, {hour, count, voters[hour] or 0})
    end
    return unpack(rows)
end

-- Hours of the week from Monday; 1970 began on a Thursday.
function reports.week_hours(since, till)
    local counts = {}
    for vote in votes_in(since, till) do
        add(counts, (math.floor(vote[MOMENT] / HOUR) + 72) % 168, 1)
    end
    return rows_of(counts)
end

-- The number of days of the span on which each voter voted; for each day its number of voters, and of
-- voters who had not voted before in the span.
local function visits(since, till)
    local days, voters, new, known = {}, {}, {}, {}
    for vote in votes_in(since, till) do
        local day, voter = math.floor((vote[MOMENT] - since) / DAY), vote[VOTER]
        local key = voter * APART + day
        if voter > 0 and not known[key] then
            known[key] = true
            add(voters, day, 1)
            add(new, day, days[voter] == nil and 1 or 0)
            add(days, voter, 1)
        end
    end
    return days, voters, new
end

-- For each value, how many keys have it.
local function frequencies(counts)
    local found = {}
    for _, value in pairs(counts) do
        add(found, value, 1)
    end
    return found
end

function reports.returns(since, till)
    local days = visits(since, till)
    return rows_of(frequencies(days))
end

function reports.votes_each(since, till)
    local counts = {}
    for vote in votes_in(since, till) do
        local voter = vote[VOTER]
        if voter > 0 then
            add(counts, voter, 1)
        end
    end
    return rows_of(frequencies(counts))
end

function reports.voter_days(since, till)
    local rows, _, voters, new = {}, visits(since, till)
    for day, number in pairs(voters) do
        table.insert(rows, {day, number, new[day]})
    end
    return unpack(rows)
end

return reports
end
