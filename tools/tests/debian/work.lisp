; SPDX-License-Identifier: GPL-2.0
;
; Work for SBCL, which compiles each function to memory: recursion, closures,
; sorting, hash tables, strings.

(defun fib (n)
  (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))

(defun words (n)
  (loop for i below n collect (format nil "word~x" (mod (* i 7919) 9973))))

(let ((n (parse-integer (or (second sb-ext:*posix-argv*) "10"))))
  (print (fib (+ n 14)))
  (dotimes (round n)
    (let ((seen (make-hash-table :test 'equal)))
      (dolist (word (sort (words 3000) #'string>))
        (incf (gethash word seen 0)))
      (when (= round 0)
        (print (hash-table-count seen)))))
  (terpri))
