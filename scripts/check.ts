/** The static checks, all of them even when one fails: format, lint with types, types, boundaries, the wire's schema, unused code. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

const checks: [name: string, script: string, args: string[]][] = [
  ['format (fix: npm run format)', 'node_modules/oxfmt/bin/oxfmt', ['--check', '.']],
  ['lint', 'node_modules/oxlint/bin/oxlint', ['--type-aware', '--deny-warnings', '.']],
  ['types', 'node_modules/typescript/bin/tsc', ['-b']],
  [
    'boundaries',
    'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    ['src', '--config', '.dependency-cruiser.mjs'],
  ],
  ['wire schema (fix: node scripts/wire-schema.ts)', 'scripts/wire-schema.ts', ['--check']],
  ['unused code', 'node_modules/knip/bin/knip.js', ['--no-progress']],
]

const failures: string[] = []
for (const [name, script, args] of checks) {
  const result = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, encoding: 'utf8' })
  const ok = result.status === 0
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name}\n`)
  if (!ok) {
    failures.push(name)
    process.stdout.write(`${result.stdout}${result.stderr}\n`)
  }
}
process.exit(failures.length === 0 ? 0 : 1)
