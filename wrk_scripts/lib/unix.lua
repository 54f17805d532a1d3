-- Leads wrk to a Unix socket: `wrk -s SCRIPT http://unix/path/of/the.sock`.
--
-- wrk has no option for one. It keeps the address of its server as a `struct addrinfo` in a userdata
-- (wrk.addrs), copies it into each thread (thread.addr), and calls socket() and connect() with what
-- stands there, so an address of the family AF_UNIX is all that it takes. Checked with wrk 4.1 and
-- 4.2 on Linux (script.c: script_addr_copy, script_thread_newindex; wrk.c: connect_socket).

local options = require("lib.options")

local unix = {}

local HOST = "unix"
local AF_INET, AF_UNIX, LONGEST = 2, 1, 107
local LAYOUT = [[
  typedef struct {
    int flags, family, socktype, protocol;
    unsigned int length;
    void *address;
    char *name;
    void *next;
  } wrk_address;
  typedef struct { unsigned short family; char path[108]; } wrk_unix;
]]

--- Returns whether the URL names a Unix socket; wrk then does not look for a host of that name.
function unix.wanted()
  if wrk.host ~= HOST then return false end
  wrk.resolve = function() wrk.addrs = wrk.lookup("127.0.0.1", "80") end
  return true
end

-- Replaces the address in place; `own` must stay, since wrk looks there again after the run.
local function replace(address)
  if #wrk.path > LONGEST then options.fail("the path of a Unix socket has at most 107 bytes") end
  local ffi = require("ffi")
  ffi.cdef(LAYOUT)
  local found, own = ffi.cast("wrk_address *", address), ffi.new("wrk_unix", { AF_UNIX, wrk.path })
  if found.family ~= AF_INET then options.fail("this wrk keeps addresses in another way") end
  found.family, found.protocol = AF_UNIX, 0
  found.length, found.address = ffi.sizeof(own), ffi.cast("void *", own)
  return own
end

--- Gives a thread the socket in place of an address.
function unix.lead(thread)
  unix.own = unix.own or replace(wrk.addrs[1])
  thread.addr = wrk.addrs[1]
end

return unix
