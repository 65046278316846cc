-- SPDX-License-Identifier: GPL-2.0
-- Work for lua: closures, string functions, sorting with a callback,
-- coroutines, metatables, error handling and garbage.

local function words(count)
	local list, seed = {}, 42
	for i = 1, count do
		seed = (seed * 1103515245 + 12345) % 2147483648
		list[i] = string.format("%s%05d", string.char(97 + seed % 26), seed % 99991)
	end
	return list
end

local function sorted(list)
	table.sort(list, function(a, b)
		if #a ~= #b then
			return #a < #b
		end
		return a:sub(2) < b:sub(2)
	end)
	return list
end

local function counted(list)
	local total = {}
	local text = table.concat(list, " ")
	for letter, number in text:gmatch("(%a)(%d+)") do
		total[letter] = (total[letter] or 0) + tonumber(number)
	end
	text = text:gsub("%d+", function(d) return d:reverse() end):upper()
	return total, #text
end

local function permutations(list)
	local function step(n)
		if n == 0 then
			coroutine.yield(list)
		end
		for i = 1, n do
			list[n], list[i] = list[i], list[n]
			step(n - 1)
			list[n], list[i] = list[i], list[n]
		end
	end
	return coroutine.wrap(function() step(#list) end)
end

local Vector = {}
Vector.__index = function(_, key) return Vector[key] end
Vector.__add = function(a, b)
	return setmetatable({ a[1] + b[1], a[2] + b[2] }, Vector)
end
Vector.__eq = function(a, b) return a[1] == b[1] and a[2] == b[2] end

local function vectors(count)
	local sum = setmetatable({ 0, 0 }, Vector)
	for i = 1, count do
		sum = sum + setmetatable({ i, -i }, Vector)
	end
	return sum
end

local function risky(n)
	local ok, message = pcall(function()
		if n % 3 == 0 then
			error({ code = n })
		end
		return load("return " .. n .. " * 2 + #'" .. ("x"):rep(n % 50) .. "'")()
	end)
	return ok and message or message.code
end

local function fib(n)
	return n < 2 and n or fib(n - 1) + fib(n - 2)
end

local check = 0
for round = 1, tonumber(arg and arg[1]) or 10 do
	local list = sorted(words(1500))
	local total, length = counted(list)
	check = check + length + (total.a or 0)
	for p in permutations({ 1, 2, 3, 4, 5, 6 }) do
		check = check + p[1]
	end
	check = check + vectors(5000)[1] + fib(18)
	for n = 1, 400 do
		check = check + risky(n)
	end
	collectgarbage(round % 2 == 0 and "collect" or "step")
end
print("check", check)
