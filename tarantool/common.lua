-- Functions that the other files share.

local fiber = require('fiber')

-- `limits_changed` wakes the cleaning when a server has set other limits.
local common = {limits_changed = fiber.cond(), NOT_FOUND = 20001, CONFLICT = 20002}

local counters = box.space.counters

function common.counter(name)
    return counters:get(name).value
end

function common.count(name, number)
    return counters:update(name, {{'+', 2, number}}).value
end

function common.refuse(code, ...)
    box.error({code = code, reason = string.format(...)})
end

-- Makes a function change all of its rows or none. Nothing yields between begin and commit.
function common.atomically(change)
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

return common
