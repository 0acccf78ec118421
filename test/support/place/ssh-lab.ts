import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../mail/dovecot'

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find((file) => existsSync(file))

/** Whether our own ssh server can be started here. */
export const hasSshd =
  SSHD !== undefined && ['ssh', 'ssh-keygen'].every((name) => spawnSync(name, ['-V', '-?']).error === undefined)

/** A real sshd on loopback with its own keys and configuration, and a home folder for its users. */
export interface SshLab {
  /** An ssh configuration in which the server is named `lab`. */
  configFile: string
  /** HOME of the sessions there. */
  home: string
  folder: string
  /** A `trestle` that is installed there, for tests that are not about copying it: the built one. */
  program: string
  /** The server's log. */
  log(): string
  /** Changes the server's host key. */
  changeHostKey(): Promise<void>
  /** Rewrites the client's configuration. */
  configure(options?: ClientOptions): void
  /** Kills every open connection, as a lost network eventually does. */
  cut(): void
  /** Silently drops all data until it is called with false. */
  blackHole(isDropping: boolean): void
  /** Delays all data by this many ms. */
  delay(ms: number): void
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export interface ClientOptions {
  /** The key to log in with; default: the right one. */
  key?: 'right' | 'wrong' | 'with-passphrase'
  hostKey?: 'known' | 'unknown'
}

export const PASSPHRASE = 'correct horse battery'

export async function startSshLab(): Promise<SshLab> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-ssh-'))
  const path = (name: string): string => join(folder, name)
  const home = path('home')
  mkdirSync(home, { mode: 0o700 })
  // Its users have no Node, only one that does not start.
  mkdirSync(path('bin'))
  writeFileSync(path('bin/node'), '#!/bin/sh\necho "node: not found" >&2\nexit 127\n', { mode: 0o755 })
  const cli = join(import.meta.dirname, '../../../out/main/cli.js')
  writeFileSync(path('trestle'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`, { mode: 0o755 })
  const makeKey = (name: string, passphrase = ''): void => {
    rmSync(path(name), { force: true })
    const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', path(name)], {
      encoding: 'utf8',
    })
    if (made.status !== 0) throw new Error(`ssh-keygen: ${made.stderr}`)
  }
  makeKey('host')
  makeKey('right')
  makeKey('wrong')
  makeKey('locked', PASSPHRASE)
  const publicKey = (name: string): string => readFileSync(path(`${name}.pub`), 'utf8')
  writeFileSync(path('authorized'), publicKey('right') + publicKey('locked'), { mode: 0o600 })
  const [port, frontPort] = [await freePort(), await freePort()]
  writeFileSync(
    path('sshd_config'),
    `
ListenAddress 127.0.0.1:${port}
HostKey ${path('host')}
PidFile ${path('sshd.pid')}
AuthorizedKeysFile ${path('authorized')}
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
MaxStartups 200
MaxSessions 100
SetEnv HOME=${home} TRESTLE_KEY_STORE=file PATH=${path('bin')}:/usr/bin:/bin
`,
  )
  // sshd insists on this folder when root starts it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  let child: ChildProcess | undefined
  let log = ''
  const start = async (): Promise<void> => {
    child = spawn(SSHD!, ['-D', '-e', '-f', path('sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (log += text))
    const ended = once(child, 'exit').then((): never => {
      throw new Error(`sshd has ended:\n${log}`)
    })
    await Promise.race([ended, answers(port)])
    ended.catch(() => undefined)
  }
  const stop = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const front = await startFront(frontPort, port)
  const configure = ({ key = 'right', hostKey = 'known' }: ClientOptions = {}): void => {
    const file = key === 'with-passphrase' ? 'locked' : key
    writeFileSync(path('known_hosts'), hostKey === 'known' ? `[127.0.0.1]:${frontPort} ${publicKey('host')}` : '')
    writeFileSync(
      path('config'),
      `
Host lab
  HostName 127.0.0.1
  Port ${frontPort}
  User ${userInfo().username}
  IdentityFile ${path(file)}
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile ${path('known_hosts')}
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking ask
  LogLevel ERROR
Host nowhere
  HostName no-such-host.invalid
Host closed
  HostName 127.0.0.1
  Port 1
`,
    )
  }
  configure()
  await start()
  return {
    configFile: path('config'),
    home,
    folder,
    program: path('trestle'),
    log: () => log,
    async changeHostKey() {
      makeKey('host')
      await stop()
      await start()
    },
    configure,
    cut: front.cut,
    blackHole: front.blackHole,
    delay: front.delay,
    stop,
    start,
    async close() {
      await front.close()
      await stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Resolves once the port accepts connections. */
function answers(port: number): Promise<void> {
  return new Promise((resolve) => {
    const attempt = (): void => {
      const socket = connect(port, '127.0.0.1')
      socket.once('data', () => {
        socket.destroy()
        resolve()
      })
      socket.once('error', () => setImmediate(attempt))
    }
    attempt()
  })
}

/** A network between client and server that can fail. */
async function startFront(port: number, to: number): Promise<Pick<SshLab, 'cut' | 'blackHole' | 'delay' | 'close'>> {
  const sockets = new Set<Socket>()
  let isDropping = false
  let lateMs = 0
  const server: Server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      let latest = 0
      from.on('data', (chunk) => {
        const pass = (): void => {
          if (!isDropping && !other.destroyed) other.write(chunk)
        }
        // In order, even if the delay changes: data already sent arrives first.
        const due = Math.max(latest, performance.now() + lateMs)
        latest = due
        const wait = due - performance.now()
        if (wait > 0) setTimeout(pass, wait)
        else pass()
      })
      from.on('close', () => {
        sockets.delete(from)
        if (!isDropping) other.destroy()
      })
      from.on('error', () => undefined)
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    cut,
    blackHole(dropping) {
      isDropping = dropping
      // Dropped data is lost: these connections do not recover.
      if (!dropping) cut()
    },
    delay: (ms) => void (lateMs = ms),
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
