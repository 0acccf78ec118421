import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { failureOf } from '../../../shared/errors'
import type { HealthCheck } from '../../../shared/configuration/app'
import type { SandboxSettings } from '../config/agent-settings/sandbox-settings'
import { findSandbox } from '../sandbox/sandbox-support'
import { ripgrepPath } from '../workspace/ripgrep/run-ripgrep'
import { isProgram } from './settings-checks'

const LIMIT_MS = 10_000
const run = promisify(execFile)

/** Whether git is installed: sessions work without it, but show less. */
export async function checkGit(env: NodeJS.ProcessEnv): Promise<HealthCheck> {
  const about = { id: 'git', title: 'Git' }
  const remedy =
    'Install Git (https://git-scm.com/downloads). If your terminal finds it, see the check of the login shell.'
  if (!isProgram('git', env)) return { ...about, status: 'failed', detail: 'git was not found on PATH.', remedy }
  try {
    const { stdout } = await run('git', ['--version'], { env, timeout: LIMIT_MS })
    return { ...about, status: 'ok', detail: stdout.trim() }
  } catch (error) {
    return { ...about, status: 'failed', detail: `git does not run: ${firstLine(error)}`, remedy }
  }
}

/** Whether the search program that comes with Trestle can be run. */
export async function checkRipgrep(): Promise<HealthCheck> {
  const about = { id: 'ripgrep', title: 'Search program' }
  let path = 'ripgrep'
  try {
    path = await ripgrepPath()
    const { stdout } = await run(path, ['--version'], { timeout: LIMIT_MS })
    return { ...about, status: 'ok', detail: stdout.split('\n')[0] ?? '' }
  } catch (error) {
    return {
      ...about,
      status: 'failed',
      detail: `${path} does not run: ${firstLine(error)}`,
      remedy:
        'Install Trestle again. A virus scanner or a disk mounted without the right to run programs can be the cause.',
    }
  }
}

const MODULES: readonly { name: string; what: string; load(): Promise<unknown> }[] = [
  {
    name: 'better-sqlite3',
    what: 'Sessions cannot be stored',
    load: async () => {
      const { loadSqlite } = await import('../store/open/inspect-store')
      loadSqlite()
    },
  },
  {
    name: 'node-pty',
    what: 'Commands have no terminal',
    load: async () => (await import('../task/pty/open-terminal')).loadNativePty(),
  },
  { name: 'sharp', what: 'Images cannot be scaled', load: async () => import('sharp') },
]

/** Whether the native modules fit this system and this Node. */
export async function checkModules(): Promise<HealthCheck> {
  const about = { id: 'modules', title: 'Native modules' }
  const wrong: string[] = []
  for (const { name, what, load } of process.platform === 'win32'
    ? MODULES.filter((each) => each.name !== 'node-pty')
    : MODULES)
    await load().catch((error: unknown) =>
      wrong.push(`${what}: the module ${name} cannot be loaded (${firstLine(error)}).`),
    )
  if (wrong.length === 0) return { ...about, status: 'ok', detail: MODULES.map(({ name }) => name).join(', ') }
  return {
    ...about,
    status: 'failed',
    detail: wrong.join(' '),
    remedy:
      `Install Trestle again, for ${process.platform} on ${process.arch} and Node ${process.versions.node}; ` +
      'from the repository, run npm ci.',
  }
}

/** Whether commands can be run in a sandbox. */
export async function checkSandbox(
  settings: Pick<SandboxSettings, 'mode'>,
  env: NodeJS.ProcessEnv,
): Promise<HealthCheck> {
  const about = { id: 'sandbox', title: 'Command sandbox' }
  if (settings.mode === 'off') return { ...about, status: 'ok', detail: 'Turned off in Settings.' }
  const found = await findSandbox(process.platform, env['PATH'])
  if (found.kind !== 'none') return { ...about, status: 'ok', detail: `${found.kind} (${found.bwrap})` }
  const isRequired = settings.mode === 'required'
  // If no sandbox program exists for this system, that is not a problem.
  const status = isRequired ? 'failed' : found.remedy === undefined ? 'ok' : 'warning'
  const effect = isRequired
    ? ' Settings require one, so every command asks.'
    : ' Commands run without one, and ask as the permission mode says.'
  return {
    ...about,
    status,
    detail: `${found.reason}${effect}`,
    ...(found.remedy !== undefined && { remedy: found.remedy }),
  }
}

function firstLine(error: unknown): string {
  return failureOf(error).message.split('\n')[0]!.slice(0, 300)
}
