#lang racket/base
;; SPDX-License-Identifier: GPL-2.0
;;
;; Work for Racket: recursion, lists, sorting by a function, patterns, large numbers.
;;
;; usage: work.rkt N

(define n (string->number (vector-ref (current-command-line-arguments) 0)))

(define (fib n)
  (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))

(define (words round)
  (for/list ([i 2000])
    (number->string (modulo (* i 7919 round) 9973) 16)))

(displayln (fib 25))
(for ([round (in-range 1 (+ n 1))])
  (fib 22)
  (let ([sorted (sort (words round) string>?)])
    (regexp-replace* #rx"[a-f]+" (apply string-append sorted) "<&>")
    (number->string (expt 3 (* 10 round)))))
