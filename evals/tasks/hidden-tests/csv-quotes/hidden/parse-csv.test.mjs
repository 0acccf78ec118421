import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCsv } from '../project/src/parse-csv.mjs'

test('plain fields', () => assert.deepEqual(parseCsv('a,b\n1,2\n'), [['a', 'b'], ['1', '2']]))
test('a comma in quotes', () => assert.deepEqual(parseCsv('"Doe, Robin",7\n'), [['Doe, Robin', '7']]))
test('doubled quotes', () => assert.deepEqual(parseCsv('"a ""big"" one",x'), [['a "big" one', 'x']]))
test('a line feed in quotes', () => assert.deepEqual(parseCsv('"two\nlines",x\ny,z'), [['two\nlines', 'x'], ['y', 'z']]))
test('CRLF between rows', () => assert.deepEqual(parseCsv('a,b\r\n1,2\r\n'), [['a', 'b'], ['1', '2']]))
test('empty fields', () => assert.deepEqual(parseCsv('a,,c\n,"",\n'), [['a', '', 'c'], ['', '', '']]))
