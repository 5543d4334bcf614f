package holdbench

import "github.com/redis/go-redis/v9"

// redisPlain is the hold as it is usually done in Redis: KEYS are two seats and
// the hold, ARGV the hold's id, the account and the life in seconds.
var redisPlain = redis.NewScript(`
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[3])
redis.call('SET', KEYS[3], ARGV[2] .. ' ' .. KEYS[1] .. ' ' .. KEYS[2], 'EX', ARGV[3])
return 1`)

// redisWithRules also repeats an answer under its key, keeps to the limit and
// replaces the account's hold, as the engine does. KEYS[4] is the buyer, KEYS[5] the
// Idempotency-Key; ARGV[4] the limit, ARGV[5] what the request asked.
var redisWithRules = redis.NewScript(`
local done = redis.call('HMGET', KEYS[5], 'asked', 'hold')
if done[1] then
	if done[1] == ARGV[5] then return 1 end
	return -2
end
local buyer = redis.call('HMGET', KEYS[4], 'hold', 'seats', 'sold')
if tonumber(buyer[3] or 0) + 2 > tonumber(ARGV[4]) then return -1 end
for i = 1, 2 do
	local owner = redis.call('GET', KEYS[i])
	if owner and owner ~= buyer[1] then return 0 end
end
if buyer[1] then
	for seat in string.gmatch(buyer[2], '%S+') do redis.call('DEL', seat) end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[3])
redis.call('SET', KEYS[3], ARGV[2] .. ' ' .. KEYS[1] .. ' ' .. KEYS[2], 'EX', ARGV[3])
redis.call('HSET', KEYS[4], 'hold', ARGV[1], 'seats', KEYS[1] .. ' ' .. KEYS[2])
redis.call('HSET', KEYS[5], 'asked', ARGV[5], 'hold', ARGV[1])
redis.call('EXPIRE', KEYS[5], 86400)
return 1`)
