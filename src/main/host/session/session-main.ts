import { didYouMean, UsageError, type Parsed } from '../../console/parse-command'
import { reportStart } from '../../console/report'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { CodedError } from '../../../shared/errors'
import { nearest } from '../../../shared/nearest'
import { EXPORT_FORMATS, type ExportFormat } from '../../../shared/model/session/conversation'
import { exportSession, importSession, listSessions, showSession } from './session-output'
import { replayFromTerminal } from './session-replay'
import { moveCancel, moveIn, moveOut, moveRefuse, moveTo } from './session-move'
import { recoverFromTerminal, forkSession, restoreFromTerminal } from './session-actions'
import type { HistoryCheck } from '../../../shared/model/session/history'
import { oneLine, shortLine } from '../../console/output'

/** The exit code when a history differs from the recorded one. */
const CHANGED = 3

/** Verifies the history of one session; `expect`: a hash that must be in it. */
async function verifyFromTerminal(
  engine: Engine,
  sessionId: string,
  { expect, isJson }: { expect?: string; isJson: boolean },
): Promise<number> {
  const check = await engine.histories.verify(sessionId, expect)
  say(isJson ? `${JSON.stringify(check)}\n` : checkText(check))
  return check.ok ? 0 : CHANGED
}

/** Verifies the histories of all sessions. */
async function verifyAllFromTerminal(engine: Engine, isJson: boolean): Promise<number> {
  const all = await engine.histories.verifyAll()
  if (isJson) say(`${JSON.stringify(all)}\n`)
  else {
    for (const check of all.failed) say(checkText(check))
    const bad = all.failed.length
    const counts = `${countOf(all.sessions, 'session')}, ${countOf(all.events, 'event')}`
    say(bad === 0 ? `Intact: ${counts}.\n` : `Checked ${counts}. Changed: ${countOf(bad, 'session')}.\n`)
  }
  return all.ok ? 0 : CHANGED
}

function checkText({ sessionId, title, ok, events, withoutHash, head, expectedAt, problem }: HistoryCheck): string {
  const name = `${oneLine(sessionId)}${title === '' ? '' : `  ${shortLine(oneLine(title), 60)}`}`
  if (!ok)
    return `${name}\n  Changed since it was recorded, first at event ${problem?.seq ?? '?'}: ${problem?.text ?? ''}\n`
  const lines = [name, `  Intact: ${countOf(events, 'event')}`, `  Hash of the last event: ${head}`]
  if (expectedAt !== undefined) lines.push(`  The hash you gave is that of event ${expectedAt}`)
  if (withoutHash === events && events > 0)
    lines.push('  Recorded before hashes were introduced: the hash of the next event will cover all of them')
  else if (withoutHash > 0)
    lines.push(
      `  Events 1 to ${withoutHash} have no hashes of their own: the hash of event ${withoutHash + 1} covers them`,
    )
  return `${lines.join('\n')}\n`
}

function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

function say(text: string): void {
  process.stdout.write(text)
}

/** The options of each action. */
const ACTIONS = {
  list: ['json', 'all', 'limit'],
  show: ['json'],
  restore: ['json', 'to', 'files', 'conversation', 'both', 'dry-run', 'redo', 'overwrite'],
  fork: ['json', 'to'],
  export: ['json', 'format'],
  import: ['json', 'folder', 'unverified'],
  recover: ['json'],
  verify: ['json', 'all', 'head'],
  replay: ['json'],
  move: ['json', 'folder'],
  'move-out': ['json', 'to', 'place'],
  'move-in': ['json', 'folder', 'head'],
  'move-refuse': ['json'],
  'move-cancel': ['json', 'not-received'],
} as const

type Action = keyof typeof ACTIONS

/**
 * `trestle session`: manages sessions without a UI. Returns the exit code: 0, 1 when something was not done, or 3 for a
 * changed history.
 */
export async function sessionMain(
  { values, positionals: [action, id, ...more] }: Parsed,
  version: string,
): Promise<number> {
  if (action === undefined || !Object.hasOwn(ACTIONS, action)) {
    const names = Object.keys(ACTIONS)
    throw wrong(
      action === undefined
        ? `Specify an action: ${names.join(', ')}.`
        : `Unknown "${action}".${didYouMean(nearest(action, names, 1))} There are: ${names.join(', ')}.`,
    )
  }
  const known: readonly string[] = ACTIONS[action as Action]
  const stray = Object.keys(values).find((name) => name !== 'help' && !known.includes(name))
  if (stray !== undefined) throw wrong(`--${stray} cannot be used with ${action}.`)
  const problem = operandError(action as Action, [id, ...more], values)
  if (problem !== undefined) throw wrong(problem)
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  try {
    reportStart(engine)
    if (action === 'verify' && values['all'] === true)
      return await verifyAllFromTerminal(engine, values['json'] === true)
    if (Object.hasOwn(MOVES, action))
      return await MOVES[action as keyof typeof MOVES].run(engine, id === undefined ? [] : [id, ...more], values)
    if (action === 'recover') return recoverFromTerminal(engine, id, values['json'] === true)
    return await act(engine, action as Action, id!, values)
  } finally {
    await engine.close()
  }
}

/** Actions that move sessions; `words`: their number of arguments. */
const MOVES = {
  move: { run: moveTo, words: [2, 2], takes: 'the id of a session, and the name of a place, or "here"' },
  'move-out': { run: moveOut, words: [2, 2], takes: 'the id of a session and a new file' },
  'move-in': { run: moveIn, words: [0, 1], takes: 'one file; without a file it prints the address of this home' },
  'move-refuse': { run: moveRefuse, words: [1, 1], takes: 'the id of a move' },
  'move-cancel': { run: moveCancel, words: [1, 1], takes: 'the id of one session' },
} as const

/** Describes the error in the action's arguments; undefined when they are valid. */
function operandError(
  action: Action,
  [id, ...more]: readonly (string | undefined)[],
  values: Parsed['values'],
): string | undefined {
  if (Object.hasOwn(MOVES, action)) {
    const { words, takes } = MOVES[action as keyof typeof MOVES]
    const count = id === undefined ? 0 : 1 + more.length
    return count >= words[0] && count <= words[1] ? undefined : `${action} takes ${takes}.`
  }
  if (action === 'list') return id === undefined ? undefined : 'list takes no id.'
  if (action === 'verify' && values['all'] === true)
    return id === undefined && values['head'] === undefined ? undefined : 'verify --all takes no id and no --head.'
  if (action === 'recover') return more.length === 0 ? undefined : 'recover takes one file.'
  if (action === 'import') return id !== undefined && more.length === 0 ? undefined : 'import takes one file.'
  return id !== undefined && more.length === 0
    ? undefined
    : `${action} takes the id of one session; trestle session list shows them.`
}

async function act(engine: Engine, action: Action, sessionId: string, values: Parsed['values']): Promise<number> {
  const isJson = values['json'] === true
  switch (action) {
    case 'list':
      return listSessions(engine, {
        all: values['all'] === true,
        limit: wholeNumber(values['limit'], 'limit') ?? 20,
        isJson,
      })
    case 'show':
      return showSession(engine, sessionId, isJson)
    case 'export':
      return exportSession(engine, sessionId, { isJson, ...exportFormat(values) })
    case 'import': {
      const folder = values['folder']
      return importSession(engine, sessionId, {
        isJson,
        unverified: values['unverified'] === true,
        ...(typeof folder === 'string' && { folder }),
      })
    }
    case 'verify':
      return verifyFromTerminal(engine, sessionId, { isJson, ...expectedHash(values) })
    case 'replay':
      return replayFromTerminal(engine, sessionId, isJson)
    case 'fork': {
      const n = wholeNumber(values['to'], 'to')
      return forkSession(engine, sessionId, { isJson, ...(n !== undefined && { n }) })
    }
    default:
      return restore(engine, sessionId, values)
  }
}

async function restore(engine: Engine, sessionId: string, values: Parsed['values']): Promise<number> {
  const n = wholeNumber(values['to'], 'to')
  const redo = values['redo'] === true
  const [files, conversation, both] = ['files', 'conversation', 'both'].map((name) => values[name] === true)
  if ((n === undefined) !== redo)
    throw wrong('restore needs --to N (a message, as trestle session show numbers them) or --redo.')
  if ([files, conversation, both].filter(Boolean).length !== 1 && !redo)
    throw wrong('restore needs one of --files, --conversation and --both.')
  // Opening the session here would end a turn that waits for an answer.
  if (engine.sessions.header(sessionId).turnId !== undefined)
    throw new CodedError('session.busy', 'A turn is running or waits for an answer.')
  return restoreFromTerminal(engine, sessionId, {
    ...(n !== undefined && { n }),
    ...((files || conversation || both) && {
      what: { files: files === true || both === true, conversation: conversation === true || both === true },
    }),
    dryRun: values['dry-run'] === true,
    overwrite: values['overwrite'] === true,
    isJson: values['json'] === true,
  })
}

function exportFormat(values: Parsed['values']): { format?: ExportFormat } {
  const { format: given, json } = values
  if (given === undefined) return {}
  if (json === true) throw wrong('--json prints one event per line; leave out --format, or --json.')
  const format = EXPORT_FORMATS.find((one) => one === given)
  if (format === undefined) throw wrong(`--format is one of ${EXPORT_FORMATS.join(', ')}; not "${String(given)}".`)
  return { format }
}

function expectedHash({ head }: Parsed['values']): { expect?: string } {
  if (head === undefined) return {}
  if (typeof head === 'string' && /^[0-9a-f]{64}$/i.test(head)) return { expect: head.toLowerCase() }
  throw wrong(`--head is a hash of 64 digits as verify prints it; not "${String(head)}".`)
}

function wholeNumber(value: Parsed['values'][string], name: string): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw wrong(`--${name} is a whole number from 1 on; not "${String(value)}".`)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'session')
}
