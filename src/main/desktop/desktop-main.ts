import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError, type Parsed } from '../console/parse-command'
import { findElectron } from './find-electron'
import { runElectron } from './run-electron'

/**
 * `trestle desktop [folder]`: opens the desktop app and waits until it is closed. If it cannot run, prints one line
 * with the reason and the fix, and the web host opens instead. Returns the exit code.
 */
export async function desktopMain(parsed: Parsed, version: string): Promise<number> {
  const folder = folderOf(parsed.positionals[0])
  const electron = await findElectron()
  if ('missing' in electron) return serveInstead(electron.missing, parsed, version)
  const end = await runElectron(electron.path, [...electron.args, ...(folder === undefined ? [] : [folder])])
  return 'failed' in end ? serveInstead(end.failed, parsed, version) : end.code
}

async function serveInstead(reason: string, parsed: Parsed, version: string): Promise<number> {
  process.stderr.write(`The desktop app cannot open: ${reason} Opening the web host instead.\n`)
  const { serveMain } = await import('../host/web/serve-main')
  return serveMain(parsed, version)
}

/** The folder to open, as an absolute path: a running app may have another working directory. */
function folderOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined
  const folder = resolve(word)
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`There is no folder ${folder}.`, 'desktop')
  if (!stats.isDirectory()) throw new UsageError(`${folder} is not a folder.`, 'desktop')
  return folder
}
