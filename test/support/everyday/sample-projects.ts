import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Ecosystem } from './everyday-commands'

const TOOLS = ['tsc', 'eslint', 'prettier', 'vitest', 'jest']

/** Replaces a compiler or linter: reads the sources, and writes a cache and a report. */
const TOOL = `#!/usr/bin/env node
const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs')
const { basename } = require('node:path')
const name = basename(process.argv[1])
const sources = readdirSync('src').map((file) => readFileSync('src/' + file, 'utf8').length)
mkdirSync('node_modules/.cache/' + name, { recursive: true })
writeFileSync('node_modules/.cache/' + name + '/last.json', JSON.stringify({ args: process.argv.slice(2), sources }))
if (process.argv.includes('--coverage')) {
  mkdirSync('coverage', { recursive: true })
  writeFileSync('coverage/summary.json', '{}')
}
console.log(name + ' is done')
`

const FILES: Record<Ecosystem, Record<string, string>> = {
  node: {
    'package.json': JSON.stringify({
      name: 'sample',
      version: '1.0.0',
      private: true,
      scripts: {
        build: 'node scripts/build.js',
        test: 'node --test test/',
        lint: 'eslint src',
        format: 'prettier --write src',
        typecheck: 'tsc --noEmit',
        dev: 'node scripts/serve.js',
      },
      dependencies: { 'left-pad': 'file:packages/left-pad' },
      devDependencies: Object.fromEntries(TOOLS.map((name) => [name, `file:packages/${name}`])),
    }),
    'packages/left-pad/package.json': JSON.stringify({ name: 'left-pad', version: '1.3.0' }),
    ...Object.fromEntries(
      TOOLS.flatMap((name) => [
        [`packages/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', bin: { [name]: name } })],
        [`packages/${name}/${name}`, TOOL],
      ]),
    ),
    'src/sum.test.ts': "import { sum } from './sum'\nsum(1, 2)\n",
    'src/sum.ts': 'export const sum = (a: number, b: number): number => a + b\n',
    'scripts/build.js':
      "const fs = require('node:fs')\nfs.mkdirSync('dist', { recursive: true })\n" +
      "fs.writeFileSync('dist/sum.js', process.env.NODE_ENV ?? 'development')\n",
    'test/sum.test.js': "require('node:test').test('adds', () => {})\n",
  },
  python: {
    'requirements.txt': 'requests\n',
    '.env.example': 'PORT=8000\n',
    'app/__init__.py': "__version__ = '1.2.3'\n\n\ndef total(numbers):\n    return sum(numbers)\n",
    'src/util.py': 'LIMIT = 10\n',
    'tests/__init__.py': '',
    'tests/test_app.py':
      'import unittest\n\nfrom app import total\n\n\nclass TotalTest(unittest.TestCase):\n' +
      '    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n',
    'scripts/seed.py': "import sys\n\nopen('seed.txt', 'w').write(sys.argv[-1])\n",
    'manage.py': "import sqlite3\n\nsqlite3.connect('db.sqlite3').execute('create table if not exists t (x)')\n",
  },
  rust: {
    'Cargo.toml': '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n',
    'src/lib.rs':
      'pub fn parse_year(date: &str) -> Option<u32> {\n    date.get(..4)?.parse().ok()\n}\n\n' +
      '#[test]\nfn parses_dates() {\n    assert_eq!(parse_year("2026-01-02"), Some(2026));\n}\n',
    'src/main.rs': 'fn main() {\n    println!("{:?}", sample::parse_year("2026"));\n}\n',
    'examples/basic.rs': 'fn main() {\n    println!("{:?}", sample::parse_year("1999"));\n}\n',
    '.gitignore': 'target\n',
  },
  go: {
    'go.mod': 'module example.com/sample\n\ngo 1.21\n',
    'pkg/sum/sum.go': 'package sum\n\nfunc Sum(a, b int) int { return a + b }\n',
    'pkg/sum/sum_test.go':
      'package sum\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fail()\n\t}\n}\n',
    'cmd/server/main.go': 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("server") }\n',
  },
  general: { 'README.md': '# Sample\n', 'notes.txt': 'one\n' },
}

/** Creates a small project in an empty folder, in git with one commit and one uncommitted change. */
export function makeSampleProject(ecosystem: Ecosystem, folder: string): void {
  const put = (path: string, text: string): void => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (text.startsWith('#!')) chmodSync(file, 0o755)
  }
  for (const [path, text] of Object.entries(FILES[ecosystem])) put(path, text)
  const run = (program: string, ...args: string[]): void =>
    void execFileSync(program, args, { cwd: folder, stdio: 'ignore', env: everydayEnv() })
  if (ecosystem === 'node') {
    put('.gitignore', 'node_modules\ndist\n')
    run('npm', 'install', '--offline', '--no-audit', '--no-fund')
  }
  run('git', 'init', '-q', '-b', 'main')
  run('git', 'config', 'user.name', 'Sample')
  run('git', 'config', 'user.email', 'sample@example.com')
  run('git', 'add', '-A')
  run('git', 'commit', '-qm', 'first')
  put('notes.txt', 'one\ntwo\n')
}

/** The environment of everyday commands: commits get the same hash in every run. */
export function everydayEnv(): NodeJS.ProcessEnv {
  const date = '2026-01-02T03:04:05Z'
  return {
    ...process.env,
    // Programs of this checkout are not in the sandbox: both runs must use the same ones.
    PATH: (process.env['PATH'] ?? '')
      .split(delimiter)
      .filter((folder) => !/node_modules|node-gyp-bin/.test(folder))
      .join(delimiter),
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
    GIT_CONFIG_GLOBAL: '/dev/null',
    npm_config_update_notifier: 'false',
  }
}
