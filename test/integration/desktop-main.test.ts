import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startCli } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'
import { until } from '../support/until'

const LONG_MS = 60_000
const SANDBOX =
  '[1234:1122/0000.1:FATAL:sandbox/linux/suid/client/setuid_sandbox_host.cc:163] The SUID sandbox helper ' +
  'binary was found, but is not configured correctly. Rather than run without sandboxing I am aborting now.'

let scratch: Scratch
beforeEach(() => {
  scratch = createScratch()
})
afterEach(() => scratch.remove())

interface Started {
  said(): string
  printed(): string
  signal(name: NodeJS.Signals): void
  end: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/**
 * `trestle desktop` with a program in place of Electron's binary. `$READY` in it is the file that says that Electron
 * works.
 */
function desktop(
  script: string,
  { args = [], env = {}, cwd }: { args?: string[]; env?: Record<string, string>; cwd?: string } = {},
): Started {
  const dist = join(scratch.home, 'dist')
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, 'electron'), `#!/bin/sh\nREADY=$TRESTLE_READY_FILE\n${script}\n`)
  chmodSync(join(dist, 'electron'), 0o755)
  return start(args, { DISPLAY: ':99', ELECTRON_OVERRIDE_DIST_PATH: dist, ...env }, cwd)
}

function start(args: string[], env: Record<string, string>, cwd?: string): Started {
  const child = startCli(['desktop', ...args], { home: scratch.home, env, ...(cwd !== undefined && { cwd }) })
  let [said, printed] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const end = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  return { said: () => said, printed: () => printed, signal: (name) => void child.kill(name), end }
}

/** Waits for the web host that opens instead of the app, stops it, and returns the output until then. */
async function servedInstead(app: Started): Promise<string> {
  await until(
    () => app.printed().includes('Trestle is at http://127.0.0.1:'),
    `the web host; said: ${app.said()}`,
    LONG_MS,
  )
  app.signal('SIGTERM')
  expect(await app.end).toEqual({ code: 0, signal: null })
  return app.said()
}

describe.skipIf(process.platform === 'win32')('when Electron exits before it is ready', () => {
  test('one line says why and what to do, and the web host opens', async () => {
    const said = await servedInstead(desktop(`echo '${SANDBOX}' >&2; kill -TRAP $$`))
    expect(said.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^The desktop app cannot open: this Linux .*sudo chown root '.*dist\/chrome-sandbox'.* Opening the web host instead\.$/,
      ),
    ])
  })

  test.each([
    ['echo "Running as root without --no-sandbox is not supported." >&2; exit 1', 'does not run as root'],
    ['echo "[12:ERROR:ozone.cc(1)] Missing X server or \\$DISPLAY" >&2; exit 1', 'the display cannot be reached'],
    [
      'echo "electron: error while loading shared libraries: libnss3.so: cannot open" >&2; exit 127',
      'the library libnss3.so is missing',
    ],
    ['echo "something new" >&2; exit 5', 'ended with exit code 5 before its window opened. It said: something new'],
    ['kill -SEGV $$', 'ended with SIGSEGV before its window opened.'],
  ])('names the reason: %s', async (script, reason) => {
    expect(await servedInstead(desktop(script))).toContain(reason)
  })

  test('names a binary that lacks permission to run', async () => {
    const app = join(scratch.home, 'other')
    mkdirSync(app)
    writeFileSync(join(app, 'electron'), '#!/bin/sh\n', { mode: 0o644 })
    expect(await servedInstead(desktop('', { env: { ELECTRON_OVERRIDE_DIST_PATH: app } }))).toContain('may not be run')
  })
})

describe.skipIf(process.platform === 'win32')('where Electron works', () => {
  test('it gets the folder as an absolute path, and the program waits for it', async () => {
    const note = join(scratch.home, 'args')
    const app = desktop(`: >"$READY"; printf '%s\\n' "$@" >'${note}'`, { args: ['.'], cwd: scratch.project })
    expect(await app.end).toEqual({ code: 0, signal: null })
    const [entry, folder] = readFileSync(note, 'utf8').trim().split('\n')
    expect(entry).toMatch(/out\/main\/index\.js$/)
    expect(existsSync(entry!)).toBe(true)
    expect(folder).toBe(realpathSync(scratch.project))
    expect(app.printed() + app.said()).toBe('')
  })

  test.each([
    ['KILL', 137],
    ['TRAP', 133],
  ])("a later crash by SIG%s ends with the shell's exit code for it, and no web host opens", async (signal, code) => {
    const app = desktop(`: >"$READY"; echo trouble >&2; kill -${signal} $$`)
    expect(await app.end).toEqual({ code, signal: null })
    expect(app.printed()).toBe('')
    expect(app.said()).toContain('trouble')
  })

  test('a browser opened by the app does not keep the program waiting', async () => {
    const note = join(scratch.home, 'browser')
    const app = desktop(`: >"$READY"; sleep 100 >/dev/null & echo $! >'${note}'; exit 0`)
    try {
      await until(() => existsSync(note), 'the app', LONG_MS)
      expect(await app.end).toEqual({ code: 0, signal: null })
    } finally {
      process.kill(Number(readFileSync(note, 'utf8')), 'SIGKILL')
    }
  })

  test("the program exits with the app's exit code", async () => {
    expect(await desktop(': >"$READY"; exit 3').end).toEqual({ code: 3, signal: null })
  })

  test('an app that was already running is not a failure', async () => {
    const app = desktop('exit 0')
    expect(await app.end).toEqual({ code: 0, signal: null })
    expect(app.printed()).toBe('')
  })

  test('Ctrl-C before it is ready ends it, and nothing opens', async () => {
    const note = join(scratch.home, 'up')
    const app = desktop(`: >'${note}'; exec sleep 100`)
    await until(() => existsSync(note), 'the app', LONG_MS)
    app.signal('SIGINT')
    expect(await app.end).toEqual({ code: 130, signal: null })
    expect(app.printed()).toBe('')
  })
})

test('a missing folder is reported before anything opens', async () => {
  const app = desktop('exit 0', { args: ['no/such/folder'], cwd: scratch.project })
  expect(await app.end).toEqual({ code: 2, signal: null })
  expect(app.said()).toContain('There is no folder')
})

test('a failed download says why, and how to get it from elsewhere', async () => {
  const server = createServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const said = await servedInstead(
      start([], { DISPLAY: ':99', ELECTRON_MIRROR: mirror, electron_config_cache: join(scratch.home, 'cache') }),
    )
    expect(said).toMatch(/could not be fetched: .*404.*ELECTRON_MIRROR names another server/)
  } finally {
    server.close()
  }
})
