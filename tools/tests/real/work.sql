-- SPDX-License-Identifier: GPL-2.0
-- Work for sqlite3: inserts, indices, joins, sorts, text functions, window
-- functions, a recursive query, full-text search, updates and deletes.
PRAGMA cache_size = 2000;
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, town INTEGER, born INTEGER);
CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
CREATE TABLE visit (person INTEGER, town INTEGER, day INTEGER, note TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO town SELECT i, 'town ' || char(65 + i % 26) || i, (i * 7919) % 100000 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
INSERT INTO person SELECT i, printf('%c%c name %05d', 65 + i % 26, 97 + i % 23, (i * 7907) % 12000),
	1 + (i * 31) % 200, 1900 + i % 120 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
INSERT INTO visit SELECT 1 + (i * 7919) % 12000, 1 + (i * 104729) % 200, i % 365,
	'met ' || lower(hex(i * 2654435761)) || ' at noon' FROM n;
COMMIT;
CREATE INDEX visit_person ON visit (person, day);
CREATE INDEX person_name ON person (name COLLATE NOCASE);
SELECT count(*), sum(length(note)) FROM visit WHERE note LIKE '%31%' OR note GLOB '*373*';
SELECT t.name, count(*), max(v.day), group_concat(DISTINCT substr(p.name, 1, 2))
	FROM visit v JOIN person p ON p.id = v.person JOIN town t ON t.id = v.town
	GROUP BY t.id ORDER BY count(*) DESC, t.name LIMIT 5;
SELECT upper(name), replace(name, 'name', 'called'), instr(name, '77') FROM person
	WHERE instr(name, '77') ORDER BY substr(name, -3) DESC, name LIMIT 5;
SELECT name, born, rank() OVER (PARTITION BY town ORDER BY born, name) AS r FROM person
	ORDER BY r DESC, name LIMIT 5;
CREATE VIRTUAL TABLE words USING fts4(body);
INSERT INTO words SELECT note || ' ' || day FROM visit LIMIT 6000;
SELECT count(*) FROM words WHERE words MATCH 'noon AND 1*';
SELECT count(*) FROM person a JOIN person b ON a.born = b.born AND a.town = b.town AND a.id < b.id;
UPDATE visit SET note = upper(note), day = day + 1 WHERE person % 3 = 0;
DELETE FROM visit WHERE day % 5 = 2;
SELECT count(DISTINCT lower(note)), round(avg(day), 3), total(person * 1.5) FROM visit;
WITH RECURSIVE
	x(x) AS (SELECT -2.0 UNION ALL SELECT x + 0.08 FROM x WHERE x < 1.0),
	y(y) AS (SELECT -1.0 UNION ALL SELECT y + 0.1 FROM y WHERE y < 1.0),
	m(i, cx, cy, x, y) AS (
		SELECT 0, x, y, 0.0, 0.0 FROM x, y UNION ALL
		SELECT i + 1, cx, cy, x * x - y * y + cx, 2.0 * x * y + cy FROM m
			WHERE x * x + y * y < 4.0 AND i < 30)
SELECT sum(i) FROM m;
PRAGMA integrity_check;
