import { isDeepStrictEqual } from 'node:util'
import {
  launchNote,
  launchText,
  PLACE_NAME,
  type Place,
  type PlaceFacts,
  type PlaceRemoved,
  type PlaceTest,
  type PlaceView,
} from '../../../shared/model/place/place'
import { oneLine, table } from '../../console/output'
import { parseAction, refuseAgents, type ActionSpec } from '../../console/parse-action'
import { UsageError, type Parsed } from '../../console/parse-command'
import { reportStart } from '../../console/report'
import { createEngine } from '../../engine/engine'
import type { PlaceActions } from '../../engine/place/place-actions'
import { defaultName, LAUNCH_OPTIONS, readLaunch } from './place-launch'

const ADD = ['name', 'home', 'program', 'models', 'no-keep-running', 'no-test']
const ACTIONS = {
  add: {
    options: ['json', ...ADD, ...LAUNCH_OPTIONS],
    words: [1, 2],
    takes: 'ssh HOST, slurm [HOST], docker [NAME], podman [NAME], devcontainer FOLDER or kubernetes',
    humanOnly: true,
  },
  list: { options: ['json'], words: [0, 0], takes: 'no arguments' },
  test: { options: ['json'], words: [1, 1], takes: 'the name of a place', humanOnly: true },
  status: { options: ['json'], words: [1, 1], takes: 'the name of a place', humanOnly: true },
  run: { options: ['json'], words: [2, 999], takes: 'the name of a place and a command', humanOnly: true },
  update: { options: ['json'], words: [1, 1], takes: 'the name of a place', humanOnly: true },
  disconnect: { options: ['json'], words: [1, 1], takes: 'the name of a place', humanOnly: true },
  remove: { options: ['json', 'delete'], words: [1, 1], takes: 'the name of a place', humanOnly: true },
  restore: { options: ['json'], words: [1, 1], takes: 'the name of a place', humanOnly: true },
} satisfies Record<string, ActionSpec>

/** `trestle place`: adds, tests and uses other machines. Returns the exit code. */
export async function placeMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('place', ACTIONS, parsed)
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`place ${action}`))) return 2
  const isJson = parsed.values['json'] === true
  const added = action === 'add' ? newPlace(words, parsed.values) : undefined
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  const say = (json: unknown, text: string): void =>
    void process.stdout.write(isJson ? `${JSON.stringify(json)}\n` : text)
  // With a terminal, ssh asks there.
  const way = process.stdin.isTTY && process.stderr.isTTY ? 'terminal' : 'never'
  const { places } = engine
  const name = words[0] ?? ''
  const report = (test: PlaceTest, placeId: string): number => {
    say({ placeId, ...test }, testText(test))
    return test.ok ? 0 : 1
  }
  try {
    reportStart(engine)
    engine.onChange(({ kind }) => {
      if (kind === 'places' && !isJson) void showProgress(places, added?.placeId ?? name)
    })
    if (added) {
      const view = await addOnce(places, added)
      if (parsed.values['no-test'] === true) {
        say(view, `Added ${view.placeId} (${launchText(view.launch)}).\n`)
        return 0
      }
      const test = await places.test(added.placeId, way)
      const code = report(test, added.placeId)
      if (!isJson) process.stdout.write(addedText(added, test))
      return code
    }
    switch (action) {
      case 'list': {
        const list = await places.list()
        say(list, listText(list))
        return 0
      }
      case 'test':
        return report(await places.test(name, way), name)
      case 'update':
        return report(await places.update(name, way), name)
      case 'status': {
        const test = await places.test(name, way)
        if (!test.facts) return report(test, name)
        say({ placeId: name, ...test.facts }, factsText(test.facts))
        return 0
      }
      case 'run': {
        const result = await places.run(name, words.slice(1).join(' '))
        if (isJson) process.stdout.write(`${JSON.stringify(result)}\n`)
        else {
          process.stdout.write(result.stdout)
          process.stderr.write(result.stderr)
        }
        return result.exitCode
      }
      case 'disconnect':
        say(await places.disconnect(name), `Disconnected ${name}.\n`)
        return 0
      case 'remove':
        return removed(name, await places.remove(name, parsed.values['delete'] === true), say)
      default:
        say(await places.restore(name), `Restored ${name}.\n`)
        return 0
    }
  } finally {
    await engine.close()
  }
}

/**
 * Adds the place, or returns an existing one with the same settings, for example one that was added before its host key
 * was accepted.
 */
async function addOnce(places: PlaceActions, added: Omit<Place, 'addedAt'>): Promise<PlaceView> {
  const known = (await places.list()).find(({ placeId }) => placeId === added.placeId)
  if (!known || !isDeepStrictEqual(known.launch, added.launch)) return places.add(added)
  const same = (['home', 'program', 'models', 'keepsRunning'] as const).every((field) => known[field] === added[field])
  return same ? known : places.add(added)
}

function removed(placeId: string, { deleted, note }: PlaceRemoved, say: (json: unknown, text: string) => void): number {
  const gone = deleted.length === 0 ? '' : ` Deleted: ${deleted.map(oneLine).join(', ')}.`
  say(
    { removed: placeId, deleted, ...(note !== undefined && { note }) },
    `Removed ${placeId}.${gone} To restore it in the list: trestle place restore ${placeId}\n`,
  )
  if (note !== undefined) process.stderr.write(`trestle: ${oneLine(note)}\n`)
  return 0
}

type Values = Parsed['values']

/** The place to be added by `add`; throws a `UsageError`. */
function newPlace([kind = '', target]: readonly string[], values: Values): Omit<Place, 'addedAt'> {
  const text = (option: string): string | undefined => {
    const value = values[option]
    return typeof value === 'string' ? value : undefined
  }
  const launch = readLaunch(kind, target, values)
  const placeId = text('name') ?? defaultName(kind, launch)
  if (!PLACE_NAME.test(placeId))
    throw wrong(
      `${JSON.stringify(placeId)} cannot be a name: it is up to 40 letters, ` +
        'digits, dots, dashes and underscores. Choose one with --name.',
    )
  const [home, program, models] = [text('home'), text('program'), text('models')]
  return {
    placeId,
    launch,
    ...(home !== undefined && { home }),
    ...(program !== undefined && { program }),
    ...(values['no-keep-running'] === true && { keepsRunning: false }),
    ...((models === 'here' || models === 'there') && { models }),
  }
}

let shown: string | undefined

/** Prints the progress of the connection to stderr, each message once. */
async function showProgress(places: PlaceActions, placeId: string): Promise<void> {
  const view = (await places.list().catch(() => [])).find((one) => one.placeId === placeId)
  const { progress } = view ?? {}
  if (progress === undefined || progress === shown) return
  shown = progress
  process.stderr.write(`trestle: ${oneLine(progress)}\n`)
}

const TEST_NAMES = { connect: 'Connection', program: 'Trestle there', engine: 'Engine' } as const

function testText({ steps, facts, roundTripMs }: PlaceTest): string {
  const lines = steps.map(
    ({ step, ok, text, advice }) =>
      `${ok ? 'ok    ' : 'failed'} ${TEST_NAMES[step]}: ` +
      `${oneLine(text)}${ok || advice === undefined ? '' : `\n       ${advice}`}`,
  )
  if (roundTripMs !== undefined) lines.push(`       A call takes ${roundTripMs} ms.`)
  if (facts && roundTripMs !== undefined) lines.push(`       ${machineLine(facts)}`)
  return `${lines.join('\n')}\n`
}

function addedText({ placeId, launch }: Omit<Place, 'addedAt'>, { ok }: PlaceTest): string {
  const note = launchNote(launch)
  return `${note === undefined ? '' : `Note: ${note}\n`}${
    ok
      ? `Added ${placeId}. Next: trestle -p "what is in this folder?" --place ${placeId} --cwd ~\n`
      : `${placeId} is in your list. Once the cause is fixed: trestle place test ${placeId}\n`
  }`
}

function machineLine({ system, arch, cores, load, memoryFreeBytes, diskFreeBytes }: PlaceFacts): string {
  return [
    `${system} ${arch}`,
    ...(cores === undefined ? [] : [`${cores} ${cores === 1 ? 'core' : 'cores'}`]),
    ...(load === undefined ? [] : [`load ${load}`]),
    ...(memoryFreeBytes === undefined ? [] : [`${gigabytes(memoryFreeBytes)} GB of memory free`]),
    ...(diskFreeBytes === undefined ? [] : [`${gigabytes(diskFreeBytes)} GB of disk free`]),
  ].join(', ')
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1)
}

function factsText(facts: PlaceFacts): string {
  const installed = facts.installed.map(({ hash, version, bytes, isCurrent }) => [
    hash.startsWith('node-') ? 'Node' : 'Trestle',
    oneLine(version),
    `${Math.round(bytes / 1e6)} MB`,
    isCurrent ? 'this version' : 'older',
  ])
  const rows = installed.length === 0 ? '' : table(['Installed', 'With', 'Size', ''], installed)
  return `${oneLine(facts.user)}@${oneLine(facts.host)}: ${machineLine(facts)}, ${oneLine(facts.libc)}\n${rows}`
}

function listText(list: readonly PlaceView[]): string {
  if (list.length === 0) return 'You have no places yet. Add one: trestle place add ssh HOST\n'
  return table(
    ['Name', 'How', 'Models', 'Sessions'],
    list.map(({ placeId, launch, models = 'here', sessions }) => [
      placeId,
      launchText(launch),
      models,
      String(sessions),
    ]),
  )
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'place')
}
