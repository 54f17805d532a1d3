-- Reads the words after "--", and wrk's own command line.

local options = {}

--- Ends the program with one line and status 2; wrk itself would run on without the script.
function options.fail(message)
  io.stderr:write("wrk_scripts: ", message, "\n")
  os.exit(2)
end

local function name_list(allowed)
  local names = {}
  for name in pairs(allowed) do names[#names + 1] = "--" .. name end
  table.sort(names)
  return table.concat(names, ", ")
end

--- Returns the words after the URL as a table; `allowed` is the set of names without their dashes.
-- wrk passes the URL to init() as `words[0]`.
function options.parse(words, allowed)
  local given, i = {}, 1
  while words[i] do
    local name, glued, value = words[i]:match("^%-%-(%a+)(=?)(.*)$")
    if not name or not allowed[name] or (glued == "" and value ~= "") then
      options.fail("unknown option '" .. words[i] .. "'; after the URL and '--' there may be "
        .. name_list(allowed))
    end
    if glued == "" then
      i = i + 1
      value = words[i]
    end
    if not value then options.fail("--" .. name .. " needs a value") end
    given[name], i = value, i + 1
  end
  return given
end

--- Returns `text` as a whole number from `least` to `most`; otherwise ends the program.
function options.whole(text, name, least, most)
  local number = tonumber(text:match("^%d+$"))
  if not number or number < least or number > most then
    options.fail(string.format("%s must be a whole number from %d to %d, not '%s'", name, least, most, text))
  end
  return number
end

local TAKES_VALUE = { t = true, c = true, d = true, s = true, H = true, T = true }
local UNITS = { [""] = 1, k = 1e3, m = 1e6, g = 1e9 }

local function scan_metric(text)
  local digits, unit = (text or ""):match("^(%d+)(%a?)$")
  return digits and UNITS[unit:lower()] and tonumber(digits) * UNITS[unit:lower()]
end

-- Returns the one of several short options that takes a value, and the value written to it.
local function short_option(word)
  for at = 2, #word do
    local name = word:sub(at, at)
    if TAKES_VALUE[name] then return name, word:sub(at + 1) end
  end
end

local function long_option(word)
  local name, value = word:match("^%-%-(%a+)=?(.*)$")
  for _, known in ipairs({ "connections", "duration", "threads", "script", "header", "timeout" }) do
    if name and known:sub(1, #name) == name then return known:sub(1, 1), value end
  end
end

--- Returns -c of wrk's command line `words` (10 is wrk's default), or nil if it cannot be read.
function options.connections_in(words)
  local found, i = 10, 1
  while words[i] and words[i] ~= "--" do
    local parse = words[i]:sub(1, 2) == "--" and long_option or short_option
    local name, value
    if words[i]:sub(1, 1) == "-" then name, value = parse(words[i]) end
    if name and value == "" then
      i = i + 1
      value = words[i]
    end
    if name == "c" then found = scan_metric(value) end
    i = i + 1
  end
  return found
end

--- Returns the connections of this run from the kernel, as wrk does not tell its scripts.
function options.connections()
  local file = io.open("/proc/self/cmdline", "rb")
  if not file then return nil end
  local words = {}
  for word in file:read("*a"):gmatch("(%Z*)%z") do words[#words + 1] = word end
  file:close()
  table.remove(words, 1)
  return options.connections_in(words)
end

return options
