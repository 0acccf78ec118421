import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Whether this machine has what a private keyring needs. */
export const HAS_KEYRING = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'].every(
  (name) => spawnSync('which', [name]).status === 0,
)

export interface PrivateKeyring {
  /** The environment that a program needs to use it. */
  env: Record<string, string>
  close(): Promise<void>
}

/** A session bus with an unlocked GNOME Keyring, both in `folder` and only for this test. */
export async function privateKeyring(folder: string): Promise<PrivateKeyring> {
  const { PATH = '' } = process.env
  const env: Record<string, string> = {
    PATH,
    HOME: folder,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_DATA_HOME: join(folder, 'data'),
  }
  for (const name of ['run', 'data']) mkdirSync(join(folder, name), { mode: 0o700 })
  const address = `unix:path=${join(folder, 'run', 'bus')}`
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address', `--address=${address}`], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(bus.stdout, 'data')
  env['DBUS_SESSION_BUS_ADDRESS'] = address
  const keyring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  keyring.stdin.end('password of this test')
  while (!isThere(env)) await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    env,
    async close() {
      for (const child of [keyring, bus]) await ended(child)
    },
  }
}

/** Whether a Secret Service answers on that bus. */
function isThere(env: Record<string, string>): boolean {
  const call = ['org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets']
  const { stdout } = spawnSync(
    'dbus-send',
    ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/', ...call],
    { env },
  )
  return stdout.includes('boolean true')
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
