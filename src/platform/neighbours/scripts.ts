/*
 * Operations that Redis runs atomically. Times are those of its own clock, so differing clocks of the processes do not
 * matter.
 */

/**
 * Takes a slot of a window: KEYS[1] the window, ARGV the limit, the window's length in milliseconds, and whether only
 * to check. Returns whether it was taken, how many are taken, and in how many milliseconds the next is free.
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
 * Begins a try: KEYS[1] who tries, ARGV the number of free tries, the longest wait and when everything is forgotten,
 * both in milliseconds. Returns 0, or in how many milliseconds it may be made.
 */
export const TRY = `
local key, free, longest = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local count = tonumber(redis.call('HGET', key, 'count') or 0)
local last = tonumber(redis.call('HGET', key, 'last') or 0)
local wait = count < free and 0 or math.min(longest, 1000 * 2 ^ (count - free))
if last + wait > now then return {last + wait - now} end
redis.call('HSET', key, 'count', count + 1, 'last', now)
redis.call('PEXPIRE', key, ARGV[3])
return {0}`

/** Forgets all tries: KEYS[1] who tried. */
export const FORGET = "return {redis.call('DEL', KEYS[1])}"

/** Takes a name: KEYS[1] the name, ARGV who takes it and for how many milliseconds. Returns whether it was free. */
export const HOLD = "return {redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0}"

/** Lets go of a name: KEYS[1] the name, ARGV[1] who took it. Nothing where another has taken it since. */
export const LET_GO = "return {redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0}"

/**
 * Adds to what is published under a name: KEYS[1] the name, KEYS[2] the key of its text, ARGV its identifier, the lines
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

/** Stops publishing it: KEYS[1] the name, KEYS[2] its text, ARGV[1] its identifier. */
export const END = `
redis.call('DEL', KEYS[2])
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`

/**
 * What is published: KEYS[1] the name, ARGV the prefix of the key of its text, the identifier of what was seen of it,
 * and how many bytes of that were seen. Returns the current identifier and what has not been seen.
 */
export const SHOWN = `
local now = redis.call('GET', KEYS[1])
if not now then return false end
local from = 0
if now == ARGV[2] then from = tonumber(ARGV[3]) end
return {now, redis.call('GETRANGE', ARGV[1] .. now, from, -1)}`
