-- SPDX-License-Identifier: GPL-2.0
--
-- Work for Lua and LuaJIT: recursion, tables, sorting by a function, patterns,
-- coroutines, errors.
--
-- usage: work.lua N

local function fib(n)
	return n < 2 and n or fib(n - 1) + fib(n - 2)
end

local n = tonumber(arg[1]) or 10
print(fib(n + 8))
for round = 1, n do
	local words = {}
	for i = 1, 4000 do
		words[i] = string.format("word%x", i * 7919 * round % 9973)
	end
	table.sort(words, function(a, b) return a > b end)
	local text = table.concat(words, " ")
	text = text:gsub("(%a+)(%x+)", function(a, b) return b .. a end)
	local count = 0
	for word in coroutine.wrap(function()
		for w in text:gmatch("%S+") do
			coroutine.yield(w)
		end
	end) do
		count = count + #word
	end
	for i = 1, 500 do
		pcall(error, i)
	end
	if round == n then
		print(count)
	end
end
