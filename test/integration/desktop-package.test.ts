import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { extractAll, getRawHeader } from '@electron/asar'
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { checkPackage } from '../../scripts/check-package'
import { buildPackage, whyNoPackage, type BuiltPackage } from '../support/built-package'
import { findChromium } from '../support/chromium'
import { startModelServer } from '../support/model-server'
import { required } from '../support/required'
import { runCli } from '../support/run-cli'
import { RUNS_ALL } from '../support/sampled'
import { configFor, createScratch, writeConfig } from '../support/scratch'
import { endHosts } from '../support/source-task-host'
import { serveWeb } from '../support/web-server'

const ROOT = join(import.meta.dirname, '..', '..')
const MEMORY = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js')
const missing = whyNoPackage()
const chromium = await findChromium()
if (missing !== undefined) process.stderr.write(`The tests of the desktop package are skipped: ${missing}.\n`)
// Packing takes a minute, or several when other tests run at the same time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 900_000 })

let built: BuiltPackage

beforeAll(async () => {
  if (missing === undefined) built = await buildPackage(['--linux', 'deb', '-c.deb.compression=gz'])
})

afterAll(() => built?.remove())

/** A copy of the package that shares its files; a file has to be replaced before it is changed. */
function copyOfPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trestle-defect-'))
  const copied = spawnSync('cp', ['-al', built.folder, join(folder, 'app')])
  expect(copied.status).toBe(0)
  return join(folder, 'app')
}

/** Separates a file of a copy from the original, and returns its path. */
function own(folder: string, path: string): string {
  const file = join(folder, path)
  const content = readFileSync(file)
  unlinkSync(file)
  writeFileSync(file, content)
  return file
}

const APP = 'resources/app.asar.unpacked'

describe.skipIf(missing !== undefined)('the package of the desktop app', () => {
  test('passes every check, and its size is reported', async () => {
    expect(
      Object.fromEntries([...(await checkPackage(built.folder))].filter(([, problems]) => problems.length > 0)),
    ).toEqual({})
    expect(built.report).toContain('bin/trestle-node')
    expect(built.report).toMatch(/\d+\.\d MB {2}trestle_.*_amd64\.deb/)
  })

  const defects: [defect: string, check: string, problem: RegExp, change: (folder: string) => unknown][] = [
    [
      'a missing resource',
      'resources',
      /skills\/review\/SKILL\.md is missing/,
      (folder) => unlinkSync(join(folder, APP, 'resources/skills/review/SKILL.md')),
    ],
    [
      'a wrong fuse',
      'fuses',
      /runAsNode should be off/,
      (folder) => flipFuses(own(folder, 'trestle'), { version: FuseVersion.V1, [FuseV1Options.RunAsNode]: true }),
    ],
    [
      'a program that cannot be run',
      'modes',
      /bin\/rg is not executable/,
      (folder) => chmodSync(own(folder, `${APP}/node_modules/@vscode/ripgrep-linux-x64/bin/rg`), 0o644),
    ],
    [
      'a missing license list',
      'licenses',
      /not the list of what is packaged/,
      (folder) => writeFileSync(own(folder, 'resources/third-party-licenses.txt'), ''),
    ],
    [
      'a native module for another processor',
      'native modules',
      /linux-x64\.node is for linux-arm64, the package for linux-x64/,
      (folder) => {
        const file = own(folder, `${APP}/node_modules/better-sqlite3/prebuilds/linux-x64.node`)
        writeFileSync(file, readFileSync(join(ROOT, 'node_modules/better-sqlite3/prebuilds/linux-arm64.node')))
      },
    ],
    [
      'a source map',
      'source maps',
      /index\.js\.map is a source map/,
      (folder) => writeFileSync(join(folder, APP, 'out/main/index.js.map'), '{}'),
    ],
    [
      'a secret',
      'secrets',
      /cli\.js contains an Anthropic key/,
      (folder) =>
        writeFileSync(
          own(folder, `${APP}/out/main/cli.js`),
          `const key = "${['sk', 'ant', 'api03', 'x'.repeat(40)].join('-')}"`,
        ),
    ],
    [
      'a link that leads outside',
      'links',
      /outside the package: \/etc\/passwd/,
      (folder) => symlinkSync('/etc/passwd', join(folder, APP, 'out/main/link.js')),
    ],
    [
      'a package that has grown',
      'size',
      /resources takes \d+ MB; the limit is \d+ MB/,
      (folder) => truncateSync(own(folder, `${APP}/node_modules/pdfjs-dist/LICENSE`), 200_000_000),
    ],
    [
      'a package that is not needed at run time',
      'files',
      /the package left-pad is not needed/,
      (folder) => {
        mkdirSync(join(folder, APP, 'node_modules/left-pad'))
        writeFileSync(join(folder, APP, 'node_modules/left-pad/index.js'), '')
      },
    ],
    [
      'a program in the archive that plain Node has to read',
      'files',
      /out\/main\/late\.js is inside the archive/,
      (folder) => addToArchive(join(folder, 'resources/app.asar'), 'out/main/late.js'),
    ],
    // Last, because nothing can be added to an archive with such a path.
    [
      'a path that leads upward',
      'paths',
      /app\.asar\/\.\.\/evil\.js" leads out of its folder/,
      (folder) => addToArchive(join(folder, 'resources/app.asar'), '../evil.js'),
    ],
  ]

  describe('with every defect at once', () => {
    let problems: Map<string, string[]>

    // A check reads the whole package, which takes longer than everything else here.
    beforeAll(async () => {
      const folder = copyOfPackage()
      try {
        for (const [, , , change] of defects) await change(folder)
        problems = await checkPackage(folder)
      } finally {
        rmSync(dirname(folder), { recursive: true })
      }
    })

    test.each(defects)('is rejected for %s', (_defect, check, problem) => {
      expect(problems.get(check)?.join('\n')).toMatch(problem)
    })
  })

  // A second package takes half a minute.
  test.runIf(RUNS_ALL)('has the same list of files when it is built again', async () => {
    const again = await buildPackage(['--linux', 'dir'])
    onTestFinished(() => again.remove())
    const list = (output: string): string[] =>
      readFileSync(join(output, 'files-linux-x64.txt'), 'utf8')
        .split('\n')
        // The .deb adds its AppArmor profile.
        .filter((line) => !line.includes('apparmor-profile'))
    expect(list(again.output)).toEqual(list(built.output))
  })

  test('installs as a .deb with an icon, a desktop entry for links, and the licenses', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trestle-deb-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const deb = join(built.output, 'trestle_0.1.0_amd64.deb')
    expect(spawnSync('dpkg-deb', ['-R', deb, folder]).status).toBe(0)
    const entry = readFileSync(join(folder, 'usr/share/applications/trestle.desktop'), 'utf8')
    expect(entry).toContain('MimeType=x-scheme-handler/trestle-app;')
    expect(entry).toMatch(/^Keywords=.*agent/m)
    expect(existsSync(join(folder, 'usr/share/icons/hicolor/256x256/apps/trestle.png'))).toBe(true)
    expect(existsSync(join(folder, 'opt/Trestle/resources/third-party-licenses.txt'))).toBe(true)
    for (const script of ['postinst', 'postrm']) {
      expect(spawnSync('sh', ['-n', join(folder, 'DEBIAN', script)]).status).toBe(0)
      expect(readFileSync(join(folder, 'DEBIAN', script), 'utf8')).not.toContain('${executable}')
    }
  })

  test('runs every tool on the bundled Node, without Electron', async () => {
    const png = await sharp({ create: { width: 3000, height: 2000, channels: 3, background: '#336699' } })
      .png()
      .toBuffer()
    const scratch = createScratch({ 'a.txt': 'first line\n' })
    writeFileSync(join(scratch.project, 'large.png'), png)
    const page = `<html><title>Spans</title><body><nav>Menu</nav><article><h1>Spans</h1><p>${'The long span. '.repeat(60)}</p></article></body></html>`
    const { origin, port } = await serveWeb((_, response) => response.setHeader('content-type', 'text/html').end(page))
    const node = join(built.folder, 'resources/bin/trestle-node')
    const calls = [
      { name: 'Read', input: { path: 'a.txt' } },
      { name: 'Edit', input: { path: 'a.txt', old_string: 'first', new_string: 'second' } },
      { name: 'Write', input: { path: 'b.txt', content: 'written by the package\n' } },
      { name: 'Grep', input: { pattern: 'written by', output_mode: 'content' } },
      { name: 'Glob', input: { pattern: '*.txt' } },
      { name: 'Bash', input: { command: 'echo "shell says $((6*7))"', description: 'counts' } },
      { name: 'ReadMediaFile', input: { path: 'large.png' } },
      { name: 'FetchURL', input: { url: origin } },
      { name: 'Skill', input: { skill: 'review' } },
      { name: 'mcp__memory__read_graph', input: {} },
    ]
    const server = await startModelServer({
      script: [...calls.map((call) => ({ toolCalls: [call] })), { text: 'done' }],
    })
    onTestFinished(async () => {
      await server.close()
      await endHosts(scratch.home)
      scratch.remove()
    })
    const settings =
      `[web]\nallowed_hosts = ["127.0.0.1:${port}"]\n[[permission.rules]]\n` +
      'decision = "allow"\npattern = "Bash"\n[tool_search]\nmode = "off"'
    writeConfig(scratch.home, `${configFor(server.baseUrl)}\n${settings}`)
    const graph = join(scratch.home, 'graph.json')
    writeFileSync(
      join(scratch.home, 'mcp.json'),
      JSON.stringify({ mcpServers: { memory: { command: node, args: [MEMORY], env: { MEMORY_FILE_PATH: graph } } } }),
    )
    const run = await runCli(['print', 'go', '--permission-mode', 'auto', '--cwd', scratch.project], {
      home: scratch.home,
      // The shipped Node and the shipped program, with no other Node on the path.
      env: { PATH: '/usr/bin:/bin' },
      within: ([, , ...args]) => [node, join(built.folder, APP, 'out/main/cli.js'), ...args],
    })
    expect(run).toMatchObject({ code: 0, stdout: 'done\n' })
    const { messages } = required(server.requests.at(-1), 'the last request').body as {
      messages: { role: string; content: unknown }[]
    }
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content))
    expect(results).toHaveLength(calls.length)
    expect(results[0]).toContain('first line')
    expect(readFileSync(join(scratch.project, 'a.txt'), 'utf8')).toBe('second line\n')
    expect(results[3]).toContain('written by the package')
    expect(results[4]).toContain('b.txt')
    expect(results[5]).toContain('shell says 42')
    expect(results[7]).toContain('The long span.')
    expect(results[8]).toContain('review')
    expect(results[9]).toContain('entities')
    expect(JSON.stringify(messages)).toContain('image_url')
  })

  test.skipIf(chromium === null)(
    'starts its main process on the Electron double: the window shows the app, and only the package is loaded',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'trestle-unpacked-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const app = join(folder, 'app')
      extractAll(join(built.folder, 'resources/app.asar'), app)
      cpSync(join(built.folder, APP), app, { recursive: true })
      const home = join(folder, 'home')
      mkdirSync(home, { mode: 0o700 })
      const support = join(ROOT, 'test/support')
      const run = spawnSync(
        process.execPath,
        ['--import', join(support, 'ts-hooks.mjs'), join(support, 'app-on-double-cli.ts'), app, home],
        // Waiting for a page that never appears must end.
        { encoding: 'utf8', timeout: 200_000, killSignal: 'SIGKILL' },
      )
      expect(run.stderr).not.toContain('Error')
      expect(JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
        title: expect.stringContaining('Trestle'),
        names: ['Trestle'],
        outside: [],
        errors: [],
        schemes: ['trestle'],
      })
    },
  )
})

/** Adds an empty file to the header of an archive, whatever its name. */
function addToArchive(archive: string, path: string): void {
  const { header, headerSize } = getRawHeader(archive)
  const content = readFileSync(archive).subarray(8 + headerSize)
  let folder = header as unknown as { files: Record<string, { files: Record<string, unknown> }> }
  for (const part of dirname(path).split('/')) folder = (folder.files[part] ??= { files: {} }) as typeof folder
  Object.assign(folder.files, { [path.split('/').at(-1)!]: { size: 0, offset: '0' } })
  const json = Buffer.from(JSON.stringify(header))
  const padded = Math.ceil(json.length / 4) * 4
  // Chromium's pickle: sizes before what they measure, each aligned to four bytes.
  const head = Buffer.alloc(16 + padded)
  head.writeUInt32LE(4, 0)
  head.writeUInt32LE(8 + padded, 4)
  head.writeUInt32LE(4 + padded, 8)
  head.writeUInt32LE(json.length, 12)
  json.copy(head, 16)
  unlinkSync(archive)
  writeFileSync(archive, Buffer.concat([head, content]))
}
