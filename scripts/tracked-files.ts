import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

const SKIPPED = new Set(['node_modules', 'out', '.git', 'test-results'])

/**
 * Every file of the checkout that git tracks or would track, as paths from `root` with slashes, below `paths` if given.
 * Without git (an unpacked archive): every file that is not installed or built.
 */
export function trackedFiles(root: string, paths: readonly string[] = []): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...paths]
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 })
  if (status !== 0)
    return filesBelow(root, root).filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
  return [...new Set(stdout.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path)))
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(root, path) : entry.isFile() ? [relative(root, path)] : []
  })
}
