import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { canMakeCertificates, makeCertificate } from '../certificate'
import { required } from '../required'

const PROGRAM = ['/usr/sbin/dovecot', '/usr/local/sbin/dovecot', '/opt/homebrew/sbin/dovecot'].find((file) =>
  existsSync(file),
)

/** Whether a Dovecot server can be started here. */
export const hasDovecot = PROGRAM !== undefined && canMakeCertificates && spawnSync(PROGRAM, ['--version']).status === 0

export interface Dovecot {
  /** Port for STARTTLS or no encryption, and the one for TLS. */
  port: number
  tlsPort: number
  /** Its log, which names users, but never passwords. */
  log(): string
  /** Kills the server and all of its processes. */
  stop(): Promise<void>
  /** Starts it again, on the same ports with the same mail. */
  start(): Promise<void>
  /** Stops it and removes everything. */
  close(): Promise<void>
}

/** The user that owns the mail: Dovecot refuses root. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534, user: userName(65_534), group: 'nogroup' }

/** A separate Dovecot on loopback, in a temporary folder. Every user exists, with this password. */
export async function startDovecot({ password }: { password: string }): Promise<Dovecot> {
  const program = required(PROGRAM, 'dovecot')
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-dovecot-'))
  const isRoot = process.getuid?.() === 0
  const [port, tlsPort] = await Promise.all([freePort(), freePort()])
  chmodSync(folder, 0o755)
  for (const name of ['run', 'mail']) mkdirSync(join(folder, name))
  if (isRoot) chownSync(join(folder, 'mail'), UNPRIVILEGED.uid, UNPRIVILEGED.gid)
  const certificate = makeCertificate(folder)
  writeFileSync(join(folder, 'tls.pem'), certificate.cert)
  writeFileSync(join(folder, 'tls.key'), certificate.key)
  const config = join(folder, 'dovecot.conf')
  writeFileSync(config, configText({ folder, port, tlsPort, password, isRoot }))
  let child: ChildProcess | undefined

  const start = async (): Promise<void> => {
    child = spawn(program, ['-F', '-c', config], { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    let errors = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text))
    const ended = once(child, 'exit').then((): never => {
      throw new Error(`Dovecot has ended:\n${errors}\n${log()}`)
    })
    await Promise.race([ended, greeted(port)])
    ended.catch(() => undefined)
  }
  const stop = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    // Its processes are in their own group; those that serve a connection would outlive the first one.
    process.kill(-child.pid!, 'SIGKILL')
    await ended
  }
  const log = (): string => (existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : '')
  await start()
  return {
    port,
    tlsPort,
    log,
    stop,
    start,
    async close() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface ConfigOptions {
  folder: string
  port: number
  tlsPort: number
  password: string
  isRoot: boolean
}

function configText({ folder, port, tlsPort, password, isRoot }: ConfigOptions): string {
  const { uid, gid, username } = userInfo()
  const owner = isRoot ? UNPRIVILEGED : { uid, gid, user: username, group: String(gid) }
  return `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${folder}/tls.pem
ssl_key = <${folder}/tls.key
disable_plaintext_auth = no
auth_failure_delay = 0
shutdown_clients = yes
mail_location = maildir:${folder}/mail/%u
mail_uid = ${owner.uid}
mail_gid = ${owner.gid}
first_valid_uid = 1
default_internal_user = ${owner.user}
default_internal_group = ${owner.group}
default_login_user = ${owner.user}
mail_max_userip_connections = 50
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${owner.uid} gid=${owner.gid} home=${folder}/mail/%u
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
service stats {
  unix_listener stats-writer {
    mode = 0666
  }
}
namespace inbox {
  inbox = yes
  mailbox Drafts {
    auto = create
    special_use = \\Drafts
  }
  mailbox Sent {
    auto = create
    special_use = \\Sent
  }
  mailbox Trash {
    auto = create
    special_use = \\Trash
  }
  mailbox Archive {
    auto = create
    special_use = \\Archive
  }
}
`
}

/** The name of a user of this machine. */
function userName(uid: number): string {
  return spawnSync('id', ['-nu', String(uid)], { encoding: 'utf8' }).stdout.trim()
}

/** A port that no program listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Resolves once a server greets on the port; retries as soon as a connection is refused. */
function greeted(port: number): Promise<void> {
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
