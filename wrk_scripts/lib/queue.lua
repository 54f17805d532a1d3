-- A queue, first in, first out, in constant time.

local queue = {}
queue.__index = queue

function queue.new() return setmetatable({ first = 1, last = 0 }, queue) end

--- Adds a value; nil does nothing.
function queue:push(value)
  if value == nil then return end
  self.last = self.last + 1
  self[self.last] = value
end

--- Removes and returns the oldest value, or nil.
function queue:pop()
  if self.first > self.last then return nil end
  local value = self[self.first]
  self[self.first] = nil
  self.first = self.first + 1
  return value
end

return queue
