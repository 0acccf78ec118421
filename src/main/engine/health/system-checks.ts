import { createServer, connect } from 'node:net'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../../../shared/errors'
import type { HealthCheck, ShellEnvironmentView } from '../../../shared/configuration/app'
import type { EnvironmentSettings } from '../config/settings/host-settings'
import { loginShellOf } from '../environment/login-environment'
import { readLoginShell, type NodeProgram } from '../environment/login-shell'
import { connectTaskHost, findTaskHost, type TaskHostProgram } from '../task/client/host-connector'
import type { NetworkSettings } from '../config/settings/network-settings'
import { certificatesIn } from '../network/certificates'
import { createProxyChoice, type ProxyDeps } from '../network/choose-proxy'

/**
 * Whether a task host can run background commands. Starts one when needed; it exits on its own. `disk`: the check of
 * the home folder's disk, which the task host writes to.
 */
export async function checkTaskHost(
  home: string,
  program: TaskHostProgram,
  { env, disk }: { env: Record<string, string>; disk: HealthCheck },
): Promise<HealthCheck> {
  const about = { id: 'task-host', title: 'Task host' }
  try {
    const running = await findTaskHost(home)
    const host = running ?? (await connectTaskHost(home, program, env))
    host.socket.destroy()
    return { ...about, status: 'ok', detail: running ? 'It is running.' : 'It can be started.' }
  } catch (error) {
    return {
      ...about,
      status: 'failed',
      detail: `Background commands cannot run: ${failureOf(error).message}`,
      remedy:
        (disk.status === 'failed' ? disk.remedy : undefined) ??
        `Remove ${join(home, 'run')} while no Trestle is open; it holds only sockets and is made again. ` +
          `The task host's own log is in ${join(home, 'logs')}.`,
    }
  }
}

/**
 * Whether the login shell's environment can be read; the desktop app needs it when it is not started from a terminal.
 */
export async function checkLoginShell(
  settings: EnvironmentSettings,
  { env, node, known }: { env: NodeJS.ProcessEnv; node?: NodeProgram; known?: ShellEnvironmentView },
): Promise<HealthCheck> {
  const about = { id: 'login-shell', title: 'Login shell' }
  if (process.platform === 'win32') return { ...about, status: 'ok', detail: 'Not needed on Windows.' }
  if (!settings.loginShell) return { ...about, status: 'ok', detail: 'Turned off in Settings.' }
  const shell = settings.shell ?? loginShellOf(env)
  if (known?.state === 'failed') return failed(known.problem ?? '', known.advice ?? '')
  if (known?.state === 'ready') return { ...about, status: 'ok', detail: `${shell}, read in ${known.durationMs} ms.` }
  const began = performance.now()
  const answer = await readLoginShell({ shell, env, cwd: homedir(), ...(node && { node }) })
  if ('env' in answer)
    return { ...about, status: 'ok', detail: `${shell}, read in ${Math.round(performance.now() - began)} ms.` }
  return failed(answer.problem, answer.advice)

  function failed(problem: string, advice: string): HealthCheck {
    const effect = 'When the desktop app is not started from a terminal, commands lack what your shell sets.'
    return { ...about, status: 'failed', detail: `${problem} ${effect}`, remedy: advice }
  }
}

/** Whether the port last used by the web host is free. */
export async function checkPort(home: string): Promise<HealthCheck> {
  const about = { id: 'port', title: 'Port of the web host' }
  const port = usualPort(home)
  if (port === undefined) return { ...about, status: 'ok', detail: 'Any free port.' }
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return { ...about, status: 'ok', detail: `${port} is free.` }
  } catch {
    return {
      ...about,
      status: 'warning',
      detail:
        `Port ${port}, which the page used the last time, ` +
        'is in use: by a Trestle that runs, or by another program.',
      remedy:
        'Nothing is to be done while Trestle runs. ' +
        'Otherwise another port is used this time: open the URL that is printed, or choose one with --port.',
    }
  } finally {
    server.close()
  }
}

function usualPort(home: string): number | undefined {
  try {
    const port = Number(readFileSync(join(home, 'web-port'), 'utf8'))
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
  } catch {
    return undefined
  }
}

const LIMIT_MS = 5_000
/** Any internet address, to find out which proxy would be used; nothing is sent to it. */
const ANYWHERE = new URL('https://example.com/')

/** Whether the proxy responds and the certificates can be read. Connects only to the proxy. */
export async function checkNetwork(settings: NetworkSettings, deps: Omit<ProxyDeps, 'settings'>): Promise<HealthCheck> {
  const about = { id: 'network', title: 'Proxy and certificates' }
  const { caFile } = settings
  if (caFile !== undefined) {
    try {
      certificatesIn(caFile)
    } catch (error) {
      const detail = `The certificates of [network] ca_file cannot be used: ${failureOf(error).message}`
      return {
        ...about,
        status: 'failed',
        detail,
        remedy: 'Name a file in PEM form, or remove ca_file from config.toml.',
      }
    }
  }
  const proxy = await createProxyChoice({ ...deps, settings: () => settings })(ANYWHERE)
  const certificates = caFile === undefined ? '' : ` Certificates of ${caFile}.`
  if (!proxy) return { ...about, status: 'ok', detail: `No proxy.${certificates}` }
  const { hostname, port, protocol } = new URL(proxy.url)
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port),
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  try {
    await once(socket, 'connect')
    return { ...about, status: 'ok', detail: `Proxy ${proxy.label}.${certificates}` }
  } catch (error) {
    return {
      ...about,
      status: 'failed',
      detail: `The proxy ${proxy.label} cannot be reached: ${failureOf(error).message}`,
      remedy: 'Correct its address where it is set, or set proxy under [network] in config.toml; "direct" uses none.',
    }
  } finally {
    socket.destroy()
  }
}
