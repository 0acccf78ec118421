import { expect, it } from 'vitest'
import { withoutBuiltInImports } from '../../scripts/built-in-modules'

it("imports of Node's own modules become declarations, all others stay", () => {
  const code = [
    'import a, { b as c, d$1 } from "node:fs";',
    'import * as all from "node:path";',
    'import { x } from "./other.js";',
    'import BetterSqlite3 from "better-sqlite3";',
  ]
  expect(withoutBuiltInImports(code.join('\n')).split('\n')).toEqual([
    'const a = process.getBuiltinModule("node:fs"); const { b: c, d$1 } = process.getBuiltinModule("node:fs");',
    'const all = process.getBuiltinModule("node:path");',
    code[2],
    code[3],
  ])
})
