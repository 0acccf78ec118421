import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, constants, lstat, mkdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { version } from '../../../../../package.json'
import { installRuntime } from '../../../engine/runtime/install-runtime'
import { packagedRuntime } from '../../../engine/runtime/plain-node'

/** The installed command, with a `hint` if another step is needed, or the problem. Complete sentences. */
export type InstalledCommand = { path: string; hint?: string } | { problem: string }

export interface InstallCommandOptions {
  platform: NodeJS.Platform
  userHome: string
  /** The PATH of the user's terminals. */
  searchPath: string
  /** The folder with `trestle`, at a path that still exists when the app is closed. */
  bin: string
  /** Folders for links that are used if writable, before the user's own folder. */
  sharedFolders?: readonly string[]
  /** Puts a folder on the user's PATH; Windows only. */
  addToPath?: (folder: string) => Promise<void>
}

/**
 * Makes `trestle` of the running app a command for terminals: "Install 'trestle' Command…". `home`: real path of
 * TRESTLE_HOME.
 */
export async function installCommandOfApp(
  home: string,
  searchPath = process.env['PATH'] ?? '',
): Promise<InstalledCommand> {
  const packaged = packagedRuntime()
  if (!packaged)
    return { problem: 'Only an installed app has the command. In the repository, use `npm run -s trestle -- ...`.' }
  // An AppImage is mounted only while the app runs.
  const isMounted = process.env['APPIMAGE'] !== undefined
  if (isMounted) await installRuntime({ home, version, packaged })
  return installCommand({
    platform: process.platform,
    userHome: homedir(),
    searchPath,
    bin: isMounted ? join(home, 'runtime', 'current', 'bin') : dirname(packaged.node),
    sharedFolders: process.platform === 'darwin' ? ['/usr/local/bin'] : [],
    addToPath: addToUserPath,
  })
}

/**
 * Installs `trestle` as a command: a link in a PATH folder, on Windows a PATH entry. Never replaces a file that is not
 * ours.
 */
export async function installCommand(options: InstallCommandOptions): Promise<InstalledCommand> {
  const { platform, searchPath, bin, addToPath } = options
  if (platform === 'win32') {
    const isThere = searchPath.split(';').some((entry) => entry.toLowerCase().replace(/\\$/, '') === bin.toLowerCase())
    if (!isThere) await addToPath?.(bin)
    return { path: join(bin, 'trestle.cmd'), ...(!isThere && { hint: 'Open a new terminal to use it.' }) }
  }
  const folder = await folderFor(options)
  const path = join(folder, 'trestle')
  const problem = await linkTo(join(bin, 'trestle'), path)
  if (problem !== undefined) return { problem }
  if (searchPath.split(delimiter).includes(folder)) return { path }
  return { path, hint: `${folder} is not on your PATH. Add it in your shell's profile: export PATH="${folder}:$PATH"` }
}

async function folderFor({ userHome, sharedFolders = [] }: InstallCommandOptions): Promise<string> {
  for (const folder of sharedFolders) {
    if (await access(folder, constants.W_OK).then(succeeded, failed)) return folder
  }
  const own = join(userHome, '.local', 'bin')
  await mkdir(own, { recursive: true })
  return own
}

const succeeded = (): boolean => true
const failed = (): boolean => false

/** Returns the problem if another file is in the way. */
async function linkTo(target: string, path: string): Promise<string | undefined> {
  const there = await lstat(path).catch(() => undefined)
  if (there && !(there.isSymbolicLink() && (await isOurs(path))))
    return `${path} already exists and is not Trestle's. Remove it and try again.`
  // Replaced atomically, so that the command is never missing.
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  await symlink(target, aside)
  try {
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
  return undefined
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(succeeded, failed)
}

/** Whether this is a link to a Trestle command, even a removed one. */
async function isOurs(link: string): Promise<boolean> {
  const target = resolve(dirname(link), await readlink(link))
  return basename(target) === 'trestle' && (!(await isThere(target)) || isThere(join(dirname(target), 'trestle-node')))
}

/**
 * The PowerShell script: keeps variables in the PATH unexpanded; the last line notifies running programs of the change.
 */
const ADD_TO_PATH = `
$ErrorActionPreference = 'Stop'
$key = Get-Item 'HKCU:\\Environment'
$before = $key.GetValue('Path', '', 'DoNotExpandEnvironmentNames')
$entries = @($before -split ';' | Where-Object { $_ -ne '' })
if ($entries -notcontains $env:TRESTLE_BIN) {
  Set-ItemProperty 'HKCU:\\Environment' -Name Path -Type ExpandString -Value (($entries + $env:TRESTLE_BIN) -join ';')
  [Environment]::SetEnvironmentVariable('TRESTLE_PATH_CHANGED', $null, 'User')
}
`

function addToUserPath(folder: string): Promise<void> {
  return new Promise((done, fail) => {
    const args = ['-NoProfile', '-NonInteractive', '-Command', ADD_TO_PATH]
    execFile('powershell.exe', args, { env: { ...process.env, TRESTLE_BIN: folder }, windowsHide: true }, (error) =>
      error ? fail(error) : done(),
    )
  })
}
