import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

const DIST = join(import.meta.dirname, '..', '..', 'dist')

/** An installed app. */
export interface InstalledApp {
  program: string
  uninstall(): void
}

/** Installs the output of `npm run package` as a user does; a second time it updates the first. */
export function installApp(platform: NodeJS.Platform = process.platform): InstalledApp {
  if (platform === 'darwin') return installDmg()
  if (platform === 'win32') return installExe()
  return installDeb()
}

function installDeb(): InstalledApp {
  apt('install', '-y', '--no-install-recommends', '--reinstall', '--allow-downgrades', artifact('.deb'))
  return { program: '/opt/Trestle/trestle', uninstall: () => apt('remove', '-y', 'trestle') }
}

function apt(...args: string[]): void {
  if (process.getuid?.() === 0) run('apt-get', ...args)
  else run('sudo', 'apt-get', ...args)
}

function installDmg(): InstalledApp {
  const mount = mkdtempSync(join(tmpdir(), 'trestle-dmg-'))
  const applications = join(homedir(), 'Applications')
  const app = join(applications, 'Trestle.app')
  run('hdiutil', 'attach', '-nobrowse', '-readonly', '-mountpoint', mount, artifact('.dmg'))
  try {
    mkdirSync(applications, { recursive: true })
    rmSync(app, { recursive: true, force: true })
    run('ditto', join(mount, 'Trestle.app'), app)
  } finally {
    run('hdiutil', 'detach', mount)
  }
  run('codesign', '--verify', '--deep', '--strict', app)
  return { program: join(app, 'Contents', 'MacOS', 'Trestle'), uninstall: () => rmSync(app, { recursive: true }) }
}

function installExe(): InstalledApp {
  const folder = join(process.env['LOCALAPPDATA'] ?? homedir(), 'Programs', 'Trestle')
  run(artifact('.exe'), '/S', '/currentuser', `/D=${folder}`)
  return {
    program: join(folder, 'Trestle.exe'),
    uninstall: () => run(join(folder, 'Uninstall Trestle.exe'), '/S', '/currentuser', `_?=${folder}`),
  }
}

function artifact(ending: string): string {
  const name = existsSync(DIST) ? readdirSync(DIST).find((each) => each.endsWith(ending)) : undefined
  if (name === undefined) throw new Error(`dist has no ${ending}: run npm run package first.`)
  return join(DIST, name)
}

function run(program: string, ...args: string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status ?? error?.message}.`)
}
