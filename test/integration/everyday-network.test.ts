import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_SANDBOX_SETTINGS } from '../../src/main/engine/config/agent-settings/sandbox-settings'
import { createSandboxes } from '../../src/main/engine/sandbox/create-sandboxes'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import { serveLoopbackHosts } from '../support/everyday/loopback-hosts'
import { everydayEnv } from '../support/everyday/sample-projects'
import { tempFolder } from '../support/temp-folder'

/** Pyenv's shims of pip write into their own folder after each installation, which a sandbox forbids. */
function withoutShims(): Record<string, string> {
  const env = everydayEnv() as Record<string, string>
  const path = (env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('pyenv'))
  return { ...env, PATH: path.join(delimiter) }
}

const AS = '-c user.name=a -c user.email=a@b.c'
const commands = (url: string, repository: string): string[] => [
  `curl -fsS -o page.txt ${url}/page.txt`,
  `npm install --no-audit --no-fund --registry=${url}/npm tiny`,
  `python3 -m pip install --quiet --disable-pip-version-check --no-deps --target lib --index-url ${url}/pip tiny`,
  `git clone -q ${url}/git/${repository}.git copy`,
  'git -C copy fetch -q',
  `cd copy && echo x > new.txt && git add new.txt && git ${AS} commit -qm "from here" && git push -q origin main`,
  `curl -fsS -o missing.txt ${url}/missing`,
]
const hasPrograms = ['curl', 'npm', 'git', 'python3'].every((program) => spawnSync(program, ['--version']).status === 0)

test.skipIf(sandboxSupport().kind === 'none' || !hasPrograms)(
  'commands that download, install, clone and push work with an allowed host as they do without a sandbox',
  { timeout: 300_000 },
  async () => {
    const folder = realpathSync(await tempFolder())
    const at = (name: string): string => join(folder, name)
    for (const name of ['served', 'plain', 'boxed', 'home']) mkdirSync(at(name))
    const { server, url } = await serveLoopbackHosts(at('served'), ['plain', 'boxed'])
    onTestFinished(() => void server.close())
    const userHome = realpathSync(homedir())
    const settings = { ...DEFAULT_SANDBOX_SETTINGS, hosts: [new URL(url).host] }
    const session = {
      rootId: 'network',
      root: at('boxed'),
      addedFolders: [],
      allowed: { write: [], read: [], hosts: [] },
      settings,
    }
    const sandbox = createSandboxes({ home: at('home'), userHome }).policy(session, {
      level: 'project',
      network: 'listed',
    })!
    const tasks = createTerminalTasks({ outputDir: at('home/tasks'), home: at('home'), env: withoutShims })
    onTestFinished(() => tasks.close())
    const run = async (
      command: string,
      cwd: string,
      inSandbox: boolean,
    ): Promise<{ exitCode: number | undefined; text: string }> => {
      const start = {
        command,
        cwd,
        timeoutMs: 120_000,
        signal: new AbortController().signal,
        ...(inSandbox && { sandbox }),
      }
      const { task, text } = await tasks.run(start, 10_000)
      return { exitCode: task.exitCode, text }
    }
    const [boxed, plain] = [commands(url, 'boxed'), commands(url, 'plain')]
    for (const [index, command] of boxed.entries()) {
      const expected = await run(plain[index]!, at('plain'), false)
      const got = await run(command, at('boxed'), true)
      expect({ command, exitCode: got.exitCode }, `${got.text}\nwithout a sandbox:\n${expected.text}`).toEqual({
        command,
        exitCode: command.includes('missing') ? 22 : 0,
      })
      expect(expected.exitCode).toBe(got.exitCode)
    }
    await tasks.close()
    // Placeholders were removed with the sandbox.
    const made = (name: string): string[] =>
      readdirSync(at(name), { recursive: true, encoding: 'utf8' })
        .filter((path) => !/(?:^|\/)(?:\.git|__pycache__)(?:\/|$)/.test(path))
        .toSorted()
    expect(made('boxed')).toEqual(made('plain'))
    expect(made('boxed')).toEqual(
      expect.arrayContaining(['page.txt', 'node_modules/tiny/package.json', 'lib/tiny.py', 'copy/new.txt']),
    )
    const pushed = (name: string): string =>
      execFileSync('git', ['-C', at(`served/git/${name}.git`), 'log', '--format=%s', 'main'], { encoding: 'utf8' })
    expect(pushed('boxed')).toBe('from here\nfirst\n')
    expect(pushed('plain')).toBe(pushed('boxed'))
  },
)
