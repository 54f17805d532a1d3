-- Returns the rows that an operation must read now, each value as Tarantool itself writes it.
-- Arguments: the kind of the operation, the name of its space, its Lua or procedure, its arguments.

local kind, space, code, arguments = ...

local function rows()
    if kind == 'select' then
        local limit, index, iterator = unpack(arguments)
        return box.space[space].index[index or 0]:select({}, {limit = limit, iterator = iterator})
    elseif kind == 'eval' then
        return {assert(loadstring(code))(unpack(arguments))}
    elseif kind == 'call' then
        return {_G[code](unpack(arguments))}
    end
    return {}
end

local found = {}
for _, row in ipairs(rows()) do
    local texts = {}
    for _, value in ipairs(box.tuple.is(row) and row:totable() or row) do
        table.insert(texts, tostring(value))
    end
    table.insert(found, texts)
end
return found
