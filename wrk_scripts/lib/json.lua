-- Encodes the JSON of a result line: numbers, strings, booleans, arrays, objects, null.

local json = {}

-- A table cannot store nil, so an absent figure needs a value of its own.
json.null = setmetatable({}, { __tostring = function() return "null" end })

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\" }

local function encode_string(text)
  local escaped = text:gsub('[%c"\\]', function(char)
    return ESCAPES[char] or string.format("\\u%04x", char:byte())
  end)
  return '"' .. escaped .. '"'
end

local function encode_number(number)
  if number ~= number or number == math.huge or number == -math.huge then return "null" end
  if number == math.floor(number) then return string.format("%.0f", number) end
  return string.format("%.3f", number)
end

local function encode_array(array)
  local parts = {}
  for i, value in ipairs(array) do parts[i] = json.encode(value) end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function encode_object(object)
  local keys, parts = {}, {}
  for key in pairs(object) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do
    parts[i] = encode_string(key) .. ":" .. json.encode(object[key])
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

--- Returns one line of JSON. Keys are sorted; an empty table is an empty array.
function json.encode(value)
  if value == json.null or value == nil then return "null" end
  if type(value) == "string" then return encode_string(value) end
  if type(value) == "number" then return encode_number(value) end
  if type(value) ~= "table" then return tostring(value) end
  if next(value) == nil or value[1] ~= nil then return encode_array(value) end
  return encode_object(value)
end

return json
