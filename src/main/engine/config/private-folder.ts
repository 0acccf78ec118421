import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, win32 } from 'node:path'
import { pathFlavor } from '../workspace/path-flavor'

/** Runs a program of the system; the exit code, or undefined when it could not be run. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<number | undefined>

export interface PrivateFolderOptions {
  platform?: NodeJS.Platform
  env?: NodeJS.ProcessEnv
  userHome?: string
  run?: RunProgram
}

/** Says that it was done, so that it costs nothing at the next start. */
const DONE = '.private'
/** The system itself, which backs up and indexes. */
const SYSTEM = '*S-1-5-18'

/**
 * On Windows modes mean nothing. Below the user's own folder everything is private anyway; a home elsewhere (`D:\trestle`) is readable by all users until it gets an access list of
 * its own, once. Returns why that is not so, as a sentence.
 */
export async function keepFolderPrivate(
  folder: string,
  { platform = process.platform, env = process.env, userHome = homedir(), run = runProgram }: PrivateFolderOptions = {},
): Promise<string | undefined> {
  if (platform !== 'win32' || pathFlavor('win32').isWithin(folder, userHome) || existsSync(join(folder, DONE))) return undefined
  const user = [env['USERDOMAIN'], env['USERNAME']].filter(Boolean).join('\\')
  const icacls = win32.join(env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'icacls.exe')
  const grants = [user, SYSTEM].map((who) => `${who}:(OI)(CI)F`)
  // With an empty name not even the user could read it afterwards.
  const code = user === '' ? undefined : await run(icacls, [folder, '/inheritance:r', '/grant:r', ...grants, '/Q'])
  if (code !== 0)
    return `Other users of this computer may be able to read ${folder}, where your sessions and keys are, because its access list could not be changed. Choose a folder below ${userHome} for TRESTLE_HOME.`
  try {
    writeFileSync(join(folder, DONE), '')
  } catch {
    // Then it is done once more at the next start.
  }
  return undefined
}

const runProgram: RunProgram = (program, args) =>
  new Promise((resolve) => {
    execFile(program, [...args], { windowsHide: true, timeout: 10_000 }, (error) =>
      resolve(error === null ? 0 : typeof error.code === 'number' ? error.code : undefined),
    )
  })
