/**
 * Checks an unpacked package before it is published: `node scripts/check-package.ts <folder> [--fuse name=true]
 * [--limit-mb 260]`. Lists every problem and exits with 1 if there is one.
 */
import { parseArgs } from 'node:util'
import {
  expectedFiles,
  linksStayInside,
  noSourceMaps,
  noUpwardPaths,
  resourcesComplete,
  sizeLimit,
} from './package/file-checks.ts'
import { readPackageTree, type PackageTree } from './package/package-tree.ts'
import {
  configuredFuses,
  fusesAsConfigured,
  licenses,
  modes,
  nativeModules,
  noSecrets,
} from './package/program-checks.ts'

/** The size limit for what Trestle adds to Electron; its Node is half of it. */
const LIMIT_MB = 260

/** Overrides of the defaults. */
export interface CheckOptions {
  /** Fuses that differ from electron-builder.yml, as a test build's do. */
  fuses?: Record<string, boolean>
  limitMb?: number
}

/** All problems of a package, by the name of the check that found them. */
export async function checkPackage(
  folder: string,
  { fuses = {}, limitMb = LIMIT_MB }: CheckOptions = {},
): Promise<Map<string, string[]>> {
  const tree = readPackageTree(folder)
  const checks: [name: string, run: (tree: PackageTree) => string[] | Promise<string[]>][] = [
    ['files', expectedFiles],
    ['resources', resourcesComplete],
    ['fuses', (each) => fusesAsConfigured(each, { ...configuredFuses(), ...fuses })],
    ['modes', modes],
    ['licenses', licenses],
    ['native modules', nativeModules],
    ['source maps', noSourceMaps],
    ['secrets', noSecrets],
    ['links', linksStayInside],
    ['paths', noUpwardPaths],
    ['size', (each) => sizeLimit(each, limitMb)],
  ]
  const problems = new Map<string, string[]>()
  for (const [name, run] of checks) problems.set(name, await run(tree))
  return problems
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { fuse: { type: 'string', multiple: true }, 'limit-mb': { type: 'string' } },
  })
  const [folder] = positionals
  if (folder === undefined) {
    process.stderr.write('Usage: node scripts/check-package.ts <folder> [--fuse name=true] [--limit-mb n]\n')
    return 2
  }
  const fuses = Object.fromEntries(
    (values.fuse ?? []).map((each) => each.split('=')).map(([name, value]) => [name!, value === 'true']),
  )
  const limit = values['limit-mb']
  const problems = await checkPackage(folder, { fuses, ...(limit !== undefined && { limitMb: Number(limit) }) })
  for (const [name, found] of problems) {
    process.stdout.write(
      `${found.length === 0 ? 'ok  ' : 'FAIL'} ${name}\n${found.map((problem) => `     ${problem}\n`).join('')}`,
    )
  }
  return [...problems.values()].some((found) => found.length > 0) ? 1 : 0
}

if (import.meta.main) process.exitCode = await main()
