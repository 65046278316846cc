# SPDX-License-Identifier: GPL-2.0
#
# Work for Ruby: recursion, blocks, sorting, patterns, fibers, exceptions.
#
# usage: work.rb N

def fib(n)
  n < 2 ? n : fib(n - 1) + fib(n - 2)
end

n = (ARGV[0] || 10).to_i
puts fib(n + 8)
n.times do |round|
  words = (1..2000).map { |i| format("word%x", i * 7919 * (round + 1) % 9973) }
  words.sort! { |a, b| b <=> a }
  text = words.join(" ").gsub(/([a-z]+)(\h+)/) { $2 + $1 }
  fiber = Fiber.new { text.scan(/\S+/) { |word| Fiber.yield word }; nil }
  count = 0
  while (word = fiber.resume)
    count += word.size
  end
  300.times do |i|
    Integer("x#{i}")
  rescue ArgumentError
    count += 1
  end
  puts count if round + 1 == n
end
