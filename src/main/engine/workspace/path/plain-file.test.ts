import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { readPlainFile, readPlainText } from './plain-file'

const HOOKS = join(import.meta.dirname, '../../../../../test/support/ts-hooks.mjs')
const ENGINE = join(import.meta.dirname, '../..')
/** Waiting for a pipe never ends, but starting Node does, even on a busy machine. */
const LIMIT_MS = 120_000

describe('readPlainFile', () => {
  it('reads a file, also through a link, and no file above the size limit', async () => {
    const folder = await tempFolder()
    writeFileSync(join(folder, 'a'), 'text')
    symlinkSync('a', join(folder, 'link'))
    expect(readPlainText(join(folder, 'link'), 4)).toBe('text')
    expect(readPlainFile(join(folder, 'a'), 3)).toBeUndefined()
    expect(readPlainFile(join(folder, 'missing'), 3)).toBeUndefined()
  })

  it.skipIf(process.platform === 'win32')('does not wait for a pipe, or open a folder or device', async () => {
    const folder = await tempFolder()
    execFileSync('mkfifo', [join(folder, 'pipe')])
    symlinkSync('pipe', join(folder, 'link'))
    for (const path of [join(folder, 'pipe'), join(folder, 'link'), folder, '/dev/zero'])
      expect(readPlainFile(path, 1000)).toBeUndefined()
  })
})

/** Without the fix these would hang forever, so they run in a separate process. */
describe.skipIf(process.platform === 'win32')('a project with a pipe where a file is expected', () => {
  const run = async (module: string, code: string, folder: string): Promise<string> => {
    const program = `import * as m from ${JSON.stringify(join(ENGINE, module))}\nconst root = process.argv[1]\n${code}`
    const args = ['--import', HOOKS, '--input-type=module', '-e', program, folder]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: LIMIT_MS, killSignal: 'SIGKILL' })
    return stdout.trim()
  }

  async function repository(): Promise<string> {
    const root = await tempFolder()
    const git = join(root, 'inner', '.git')
    for (const name of ['objects', 'refs']) mkdirSync(join(git, name), { recursive: true })
    writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n')
    execFileSync('mkfifo', [join(git, 'config')])
    return root
  }

  it('is searched for what a sandbox protects', { timeout: LIMIT_MS * 2 }, async () => {
    const code = 'console.log(m.searchProject(root).protectedPaths.some((path) => path.includes("inner/.git")))'
    expect(await run('sandbox/mounts/project-scan.ts', code, await repository())).toBe('true')
  })

  it('is searched for language servers', { timeout: LIMIT_MS * 2 }, async () => {
    const root = await tempFolder()
    mkdirSync(join(root, 'node_modules', 'typescript'), { recursive: true })
    execFileSync('mkfifo', [join(root, 'node_modules', 'typescript', 'package.json')])
    const code =
      'const [{ programs }] = m.LANGUAGES\n' +
      'const found = m.findLanguageServer({ root, file: root + "/a.ts", programs, path: "", allowsProject: true })\n' +
      'console.log(found === undefined)'
    expect(await run('diagnostics/find-language-server.ts', code, root)).toBe('true')
  })

  it('is judged as a repository', { timeout: LIMIT_MS * 2 }, async () => {
    const code =
      'const read = { contents: "none", only: [], revisions: [] }\n' +
      'console.log(await m.repositoryProblem(root + "/inner", read, root))'
    expect(await run('approval/read-only/git-repository.ts', code, await repository())).toContain('cannot be read')
  })
})
