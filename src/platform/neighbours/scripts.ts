/*
 * What Redis does in one piece, so that nobody comes between. Times are those of its own clock, so that it does not
 * matter how the clocks of the processes differ.
 */

/**
 * Takes a slot of a window: KEYS[1] the window, ARGV the limit, the window's length in milliseconds, and whether only
 * to look. Returns whether it was taken, how many are taken, and in how many milliseconds another is free.
 */
export const TAKE = `
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local first = redis.call('LINDEX', key, 0)
while first and tonumber(first) <= now - window do
  redis.call('LPOP', key)
  first = redis.call('LINDEX', key, 0)
end
local used = redis.call('LLEN', key)
if ARGV[3] == '1' then return {0, used, 0} end
if used >= limit then
  local next = redis.call('LINDEX', key, math.max(0, used - math.max(limit, 1)))
  return {0, used, next and next + window - now or 0}
end
redis.call('RPUSH', key, now)
redis.call('PEXPIRE', key, window)
return {1, used + 1, (first or now) + window - now}`

/**
 * Adds to what is shown under a name: KEYS[1] the name, KEYS[2] where its text stands, ARGV how it is called, the lines
 * and for how many milliseconds. Nothing where another has begun there since (0), or where all of it is gone (-1).
 */
export const ADD = `
local now = redis.call('GET', KEYS[1])
if not now then return -1 end
if now ~= ARGV[1] then return 0 end
redis.call('APPEND', KEYS[2], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1`

/** Shows it no more: KEYS[1] the name, KEYS[2] its text, ARGV[1] how it is called. */
export const END = `
redis.call('DEL', KEYS[2])
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`

/**
 * What is shown: KEYS[1] the name, ARGV the beginning of the name of its text, how what was seen of it was called, and
 * how many bytes of that were seen. Returns how it is called now and what has not been seen.
 */
export const SHOWN = `
local now = redis.call('GET', KEYS[1])
if not now then return false end
local from = 0
if now == ARGV[2] then from = tonumber(ARGV[3]) end
return {now, redis.call('GETRANGE', ARGV[1] .. now, from, -1)}`
