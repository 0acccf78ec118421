import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { identityOf, isAlive, type ProcessIdentity } from '../process/process-identity'

const BEAT_MS = 15_000
const USERS = 'users'

/**
 * If this process runs from a copied runtime, records that the runtime must be kept as long as the process lives.
 * `program`: path of the program's file.
 */
export function markRuntimeInUse(program: string): void {
  const [, base, name] = /^(.*[\\/]runtime)[\\/]([^\\/]+)[\\/]app[\\/]out[\\/]main[\\/]/.exec(program) ?? []
  if (base === undefined || name === undefined) return
  const self = identityOf(process.pid)
  const file = join(base, USERS, `${name}~${self.host.replaceAll(/[^\w.-]/g, '_')}.${self.pid}`)
  try {
    mkdirSync(join(base, USERS), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(self), { mode: 0o600 })
  } catch {
    // The disk is full: keep running; cleanups spare young runtimes.
    return
  }
  const beat = (): void => {
    try {
      utimesSync(file, new Date(), new Date())
    } catch {
      // The home was deleted.
    }
  }
  setInterval(beat, BEAT_MS).unref()
  process.once('exit', () => rmSync(file, { force: true }))
}

/** The runtimes in a folder that live processes run from. Removes records of dead processes. */
export async function runtimesInUse(base: string): Promise<Set<string>> {
  const used = new Set<string>()
  const self = identityOf(process.pid)
  for (const entry of await readdir(join(base, USERS)).catch(() => [])) {
    const file = join(base, USERS, entry)
    const name = entry.slice(0, entry.lastIndexOf('~'))
    try {
      const user = JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity
      if (isAlive(user, Date.now() - (await stat(file)).mtimeMs, self)) used.add(name)
      else rmSync(file, { force: true })
    } catch {
      // It is being written, or was removed.
      used.add(name)
    }
  }
  return used
}
