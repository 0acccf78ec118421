/**
 * Prints the path of the unpacked package that `npm run package` built for this system: `node
 * scripts/package/find-package.ts [folder]`.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The unpacked packages below `output`; on macOS the app itself. */
export function findPackages(output: string): string[] {
  return readdirSync(output)
    .filter((name) => /^(?:linux|win)(?:-\w+)?-unpacked$|^mac(?:-\w+)?$/.test(name))
    .map((name) => join(output, name))
    .map((folder) => (existsSync(join(folder, 'Trestle.app')) ? join(folder, 'Trestle.app') : folder))
}

if (import.meta.main) {
  const output = process.argv[2] ?? join(import.meta.dirname, '..', '..', 'dist')
  const [folder] = existsSync(output) ? findPackages(output) : []
  if (folder === undefined) {
    process.stderr.write(`There is no unpacked package in ${output}: run npm run package.\n`)
    process.exitCode = 1
  } else {
    process.stdout.write(`${folder}\n`)
  }
}
