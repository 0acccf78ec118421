import { basename } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import type { Place, PlaceFacts } from '../../../../shared/model/place/place'
import { plainNode } from '../../runtime/plain-node'
import { openBundle, type Bundle } from '../prepare/bundle'
import { installPart, tidyScript } from '../prepare/install-bundle'
import { checkRunsThere, parseProbe, PROBE_SCRIPT, SERVER_FOLDER } from '../prepare/probe'
import { plainLine } from '../remote/plain-text'
import type { Launcher, PlaceShell, PrepareOptions, Prepared, ShellResult } from '../launcher/launcher'
import { downloadFile, uploadFile } from './shell-copy'
import { quoted, type RunOptions, runScript } from '../launcher/shell-run'

/** Connects stdin and stdout to a port of loopback; for shells without their own way to do so. */
const RELAY =
  'const ' +
  "s=require('net').connect({port:+process.argv[1],host:'127.0.0.1',allowHalfOpen:true});s.on('error',()=>process.exit(1));process.stdin.pipe(s).pipe(process.stdout)"

/**
 * How long the place may take to answer a script of ours in an automatic attempt, in ms; otherwise a shell that hangs
 * would keep Trestle from trying again.
 */
const ANSWER_MS = 60_000

export interface ShellLauncherOptions {
  /** Real path of TRESTLE_HOME. */
  home: string
  version: string
  place: Place
  shell: PlaceShell
  /** Distinguishes the copies of this machine from those of others. */
  clientId: string
  /** Default: that of this installation. */
  bundle?: () => Promise<Bundle>
}

/** A launcher for any place with a POSIX shell: only the shell differs between kinds of places. */
export function createShellLauncher(options: ShellLauncherOptions): Launcher {
  const { place, shell, home, version, clientId } = options
  const bundle = options.bundle ?? (() => openBundle(home, version))

  const probe = async (given: PrepareOptions, current: readonly string[]): Promise<PlaceFacts> => {
    await shell.ready?.(given)
    const result = await runScript(shell, PROBE_SCRIPT, limited(given))
    if (result.exitCode !== 0 && !result.stdout.includes('end=1')) throw notStarted(result.stderr, result.exitCode)
    return parseProbe(result.stdout, current)
  }

  /** Starts it once to verify that it runs there, and checks whether it supports an engine that keeps running. */
  const attaches = async (trestle: string, given: PrepareOptions): Promise<boolean> => {
    const { exitCode, stdout, stderr } = await runScript(shell, `${trestle} wire --help`, limited(given))
    if (exitCode !== 0) throw notStarted(stderr, exitCode)
    return place.keepsRunning !== false && stdout.includes('--attach')
  }

  /** The copied Node; undefined if the user named a program, which may be anything. */
  let node: string | undefined
  return {
    connect(port) {
      if (shell.connect) return shell.connect(port)
      if (node === undefined)
        throw new CodedError('place.unsupported', 'Ports are opened once Trestle is copied there.')
      return shell.start(`exec ${node} -e ${quoted(RELAY)} -- ${port}`)
    },
    async prepare(given = {}) {
      if (place.program !== undefined) {
        const facts = await probe(given, [])
        const trestle = pathText(place.program)
        return { trestle, facts, attaches: await attaches(trestle, given) }
      }
      const { app, node: runtime } = await bundle()
      const names = [app.name, runtime.name]
      const facts = await probe(given, names)
      checkRunsThere(facts)
      const has = (name: string): boolean => facts.installed.some(({ hash }) => hash === name)
      for (const part of [runtime, app]) {
        if (has(part.name)) continue
        given.progress?.('Copying Trestle')
        await installPart(shell, part, { ...given, clientId, freeBytes: facts.diskFreeBytes })
      }
      node = `${SERVER_FOLDER}/${runtime.name}/${nodeName()}`
      const trestle = `${node} ${SERVER_FOLDER}/${app.name}/out/main/cli.js`
      return { trestle, facts, attaches: await attaches(trestle, given) }
    },
    async open(prepared, given = {}) {
      await shell.ready?.(given)
      const script = openScript(place, prepared)
      return shell.startEngine?.(script) ?? shell.start(script, given.ask ? { ask: given.ask } : {})
    },
    async status(given = {}) {
      const names =
        place.program === undefined
          ? await bundle().then(
              ({ app, node }) => [app.name, node.name],
              () => [],
            )
          : []
      return probe(given, names)
    },
    async run(command, given = {}) {
      await shell.ready?.(given)
      return runScript(shell, command, given)
    },
    upload: (file, path, given = {}) => uploadFile(shell, file, path, given),
    download: (path, file, given) => downloadFile(shell, path, file, given),
    ...(shell.remove && { remove: shell.remove }),
    ...(shell.stop && { leave: shell.stop }),
    async tidy() {
      if (place.program !== undefined) return 0
      const { app, node } = await bundle()
      const { stdout } = await runScript(shell, tidyScript([app.name, node.name]))
      return Number(stdout.trim()) || 0
    },
    stop: () => shell.stop?.() ?? shell.close(),
    reset: () => shell.close(),
    explain(channel, end) {
      const result: ShellResult = { exitCode: end.exitCode ?? 255, stdout: '', stderr: channel.errors() }
      return shell.failure(result) ?? notStarted(result.stderr, result.exitCode)
    },
  }
}

/** The user can stop an attempt of theirs, which may wait for a password. */
function limited(given: PrepareOptions): RunOptions {
  return { ...given, isShort: true, ...(given.isAutomatic && { limitMs: ANSWER_MS }) }
}

/** The file name of the copied Node. */
function nodeName(): string {
  return basename(plainNode())
}

/**
 * Starts a client of the engine there, which keeps running if that version supports it; otherwise an engine for this
 * connection.
 */
export function openScript(place: Pick<Place, 'home'>, { trestle, attaches }: Prepared): string {
  return `${placeEnvironment(place)}exec ${trestle} wire${attaches ? ' --attach' : ''}`
}

/** The start of a script that runs Trestle on a place. */
export function placeEnvironment({ home }: Pick<Place, 'home'>): string {
  const environment = home === undefined ? '' : `TRESTLE_HOME=${pathText(home)}; export TRESTLE_HOME; `
  return `TRESTLE_PLACE=1; export TRESTLE_PLACE; ${environment}`
}

/** A path in shell syntax, in which `~` is the home folder there. */
export function pathText(path: string): string {
  if (path === '~') return '"$HOME"'
  return path.startsWith('~/') ? `"$HOME"/${quoted(path.slice(2))}` : quoted(path)
}

function notStarted(stderr: string, exitCode: number): CodedError {
  const last = plainLine(stderr.trim().split('\n').at(-1) ?? '')
  if (/No space left|Disk quota/i.test(stderr)) return new CodedError('place.no_space', last)
  return new CodedError(
    'place.start_failed',
    last === '' ? `It exited with code ${exitCode} and printed no output.` : `It said: ${last}`,
  )
}
