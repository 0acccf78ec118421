import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import type { PlaceLaunch } from '../../../../shared/model/place/place'
import type { LaunchAsk, PlaceShell } from '../launcher/launcher'
import { askpassEnvironment } from './ssh-askpass'
import { SSH_FAILED, sshFailure } from './ssh-failure'
import { asCommand, startChannel } from '../launcher/shell-run'

export interface SshShellOptions {
  /** Real path of TRESTLE_HOME. */
  home: string
  launch: Pick<Extract<PlaceLaunch, { kind: 'ssh' }>, 'host' | 'port' | 'configFile'>
  /** The ssh program; default: the system's. */
  program?: string
}

const NEVER: LaunchAsk = { way: 'never' }

/** Detects a dead host, even through an idle shared connection. */
const LIVENESS = ['-o', 'ConnectTimeout=15', '-o', 'ServerAliveInterval=10', '-o', 'ServerAliveCountMax=3']
/** How long a shared connection stays open without use, in seconds. */
const KEEP_OPEN_S = 300
/** The longest path of a socket that every system accepts, minus what ssh adds to it while it connects. */
const MAX_SOCKET_PATH = 80

/**
 * A shell through the system's ssh, with the user's configuration, agent and jump hosts. Everything to this host shares
 * one connection, whose socket is in TRESTLE_HOME.
 */
export function createSshShell({ home, launch, program = 'ssh' }: SshShellOptions): PlaceShell {
  const { host, port, configFile } = launch
  const socket = controlPath(home, launch)
  const target = [
    ...(configFile === undefined ? [] : ['-F', configFile]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(socket === undefined ? [] : ['-o', `ControlPath=${socket}`]),
  ]
  const shared = socket === undefined ? [] : ['-o', 'ControlMaster=auto', '-o', `ControlPersist=${KEEP_OPEN_S}`]
  return {
    start(script, { ask = NEVER } = {}) {
      const asking = ask.way === 'user' ? askpassEnvironment(home, ask) : undefined
      const channel = startChannel(
        program,
        [
          '-T',
          ...target,
          ...shared,
          '-o',
          ask.way === 'never' ? 'BatchMode=yes' : 'NumberOfPasswordPrompts=3',
          ...LIVENESS,
          '--',
          host,
          asCommand(script),
        ],
        { inTerminal: ask.way === 'terminal', ...(asking && { env: asking.env }) },
      )
      if (asking) void channel.ended.then(asking.close)
      return channel
    },
    // Uses the shared connection, so it neither asks nor logs in again.
    connect: (to) =>
      startChannel(program, [
        '-T',
        ...target,
        '-o',
        'ControlMaster=no',
        '-o',
        'BatchMode=yes',
        ...LIVENESS,
        '-W',
        `127.0.0.1:${to}`,
        '--',
        host,
      ]),
    failure: ({ exitCode, stderr }) => (exitCode === SSH_FAILED ? sshFailure(host, stderr) : undefined),
    close: () =>
      socket === undefined ? Promise.resolve() : exitMaster(program, [...target, '-O', 'exit', '--', host]),
  }
}

/** Ends the shared connection, if there is one. */
function exitMaster(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore' })
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
}

/** In other paths, ssh would split words, or replace %, ~ and variables. */
const PLAIN_PATH = /^[\w/.,:@+-]+$/

/** Where the shared connection listens; undefined if no path is short and plain enough. */
function controlPath(home: string, launch: object): string | undefined {
  if (process.platform === 'win32') return undefined
  const name = createHash('sha256')
    .update(JSON.stringify([home, launch]))
    .digest('hex')
    .slice(0, 16)
  for (const folder of [join(home, 'run', 'ssh'), join(tmpdir(), `trestle-ssh-${userInfo().uid}`)]) {
    const path = join(folder, name)
    if (path.length > MAX_SOCKET_PATH || !PLAIN_PATH.test(path)) continue
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // A folder with a known name in a shared location: another user could have created it.
    const { uid, mode } = lstatSync(folder)
    if (uid === userInfo().uid && (mode & 0o077) === 0) return path
  }
  return undefined
}
