import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, failureOf } from '../../../shared/errors'
import type { InboxEntry } from '../../../shared/model/approval'
import type { Place, PlaceRun, PlaceTest, PlaceView } from '../../../shared/model/place'
import { pathInPlace } from '../../../shared/model/place-folder'
import type { SessionSummary } from '../../../shared/model/session'
import type { Task } from '../../../shared/model/task'
import { ConnectedPlace, type PlaceChange } from './connected-place'
import type { LaunchAsk } from './launcher/launcher'
import { launcherOf, type LauncherDeps } from './launcher/launchers'
import { openPlacesFile } from './places-file'
import { followRemoteSession } from './remote/follow-session'
import { replyOnce } from './remote/reply-once'
import type { RemoteTiming } from './remote/remote-engine'
import { sessionsOf } from './remote/remote-lists'
import type { LinkLimits, WireLink } from './remote/wire-link'
import { adaptHeader, adaptResult, targetOf } from './route-calls'
import { testPlace } from './test-place'

export interface PlacesOptions extends Omit<LauncherDeps, 'clientId'> {
  now(): number
  /** Whether an id belongs to this machine. */
  isLocal(kind: 'session' | 'task', id: string): boolean
  onChange(change: PlaceChange): void
  /** A new connection to a place. */
  connected?(place: Place, link: WireLink): void
  timing?: Partial<RemoteTiming>
  limits?: LinkLimits
}

/** A call that a place answers. */
export interface RoutedCall {
  placeId: string
  call(signal?: AbortSignal): Promise<unknown>
}

/** The places of a home, their connections, and what is on them. */
export interface Places {
  list(): PlaceView[]
  add(place: Omit<Place, 'addedAt'>): PlaceView
  remove(placeId: string): Promise<void>
  restore(placeId: string): PlaceView
  connect(placeId: string, ask: LaunchAsk): Promise<PlaceView>
  disconnect(placeId: string): Promise<PlaceView>
  test(placeId: string, ask: LaunchAsk): Promise<PlaceTest>
  update(placeId: string, ask: LaunchAsk): Promise<PlaceTest>
  run(placeId: string, command: string): Promise<PlaceRun>
  /** Asks the user of an interface, through the view of the place, and waits for `answer`. */
  askInView(placeId: string): LaunchAsk
  answer(placeId: string, questionId: string, answer: string | null): void
  /** Keeps every place connected, for clients that show lists. */
  followAll(): void
  sessions(): SessionSummary[]
  inbox(): InboxEntry[]
  tasks(): Task[]
  /** How a call reaches its place; undefined: it is about this machine. */
  route(method: string, input: unknown): RoutedCall | undefined
  close(): Promise<void>
}

export function createPlaces(options: PlacesOptions): Places {
  const { home, now } = options
  const file = openPlacesFile(home)
  const connected = new Map<string, ConnectedPlace>()
  const questions = new Map<string, (answer: string | null) => void>()
  let isFollowing = false

  const isTaken =
    (placeId: string) =>
    (kind: 'session' | 'task', id: string): boolean =>
      options.isLocal(kind, id) ||
      [...connected.values()].some(
        (other) => other.place.placeId !== placeId && (kind === 'session' ? other.hasSession(id) : other.tasks.has(id)),
      )

  const open = (placeId: string): ConnectedPlace => {
    const existing = connected.get(placeId)
    if (existing) return existing
    const place = file.get(placeId)
    const made = new ConnectedPlace({
      place,
      launcher: launcherOf(place, { ...options, clientId: file.clientId() }),
      ...(options.timing && { timing: options.timing }),
      ...(options.limits && { limits: options.limits }),
      remembered: recall(home, placeId).filter(({ sessionId }) => !options.isLocal('session', sessionId)),
      isTaken: isTaken(placeId),
      onChange(change) {
        if (change.kind === 'session' || change.kind === 'session.removed') rememberSoon(made)
        options.onChange(change)
      },
      connected: (link) => options.connected?.(place, link),
    })
    connected.set(placeId, made)
    return made
  }

  const pending = new Map<string, NodeJS.Timeout>()
  const rememberSoon = ({ place: { placeId }, sessions }: ConnectedPlace): void => {
    if (pending.has(placeId)) return
    const timer = setTimeout(() => {
      pending.delete(placeId)
      remember(home, placeId, [...sessions.values()])
    }, 1000)
    timer.unref()
    pending.set(placeId, timer)
  }
  const drop = async (placeId: string): Promise<void> => {
    const place = connected.get(placeId)
    connected.delete(placeId)
    clearTimeout(pending.get(placeId))
    pending.delete(placeId)
    if (!place) return
    remember(home, placeId, [...place.sessions.values()])
    await place.remote.disconnect()
  }
  const viewOf = (place: Place): PlaceView =>
    connected.get(place.placeId)?.view() ?? {
      ...place,
      state: 'idle',
      since: 0,
      sessions: recall(home, place.placeId).length,
    }
  const all = (): ConnectedPlace[] => [...connected.values()]

  return {
    list: () => file.list().map(viewOf),
    add(place) {
      const added = { ...place, addedAt: now() }
      file.add(added)
      if (isFollowing) open(place.placeId).remote.want()
      options.onChange({ kind: 'state' })
      return viewOf(added)
    },
    async remove(placeId) {
      file.get(placeId)
      const gone = [...(connected.get(placeId)?.sessions.keys() ?? [])]
      await drop(placeId)
      file.remove(placeId)
      for (const sessionId of gone) options.onChange({ kind: 'session.removed', sessionId })
      options.onChange({ kind: 'inbox' })
      options.onChange({ kind: 'state' })
    },
    restore(placeId) {
      const place = file.restore(placeId)
      if (isFollowing)
        for (const summary of open(placeId).sessions.values()) options.onChange({ kind: 'session', summary })
      if (isFollowing) open(placeId).remote.want()
      options.onChange({ kind: 'state' })
      return viewOf(place)
    },
    async connect(placeId, ask) {
      const place = open(placeId)
      await place.remote.connect(ask)
      return place.view()
    },
    async disconnect(placeId) {
      file.get(placeId)
      const place = open(placeId)
      await place.remote.disconnect()
      await place.launcher.stop()
      return place.view()
    },
    test: (placeId, ask) => testPlace(open(placeId), ask),
    async update(placeId, ask) {
      const place = open(placeId)
      // The connection would continue with the version that it began with.
      await place.remote.disconnect()
      const result = await testPlace(place, ask)
      if (result.ok) await place.launcher.tidy()
      return result
    },
    async run(placeId, command) {
      const { exitCode, stdout, stderr } = await open(placeId).launcher.run(command)
      return { exitCode, stdout, stderr }
    },
    askInView(placeId) {
      const place = open(placeId)
      return {
        way: 'user',
        answer: (question) =>
          new Promise((resolve) => {
            const questionId = randomBytes(8).toString('hex')
            place.question = { questionId, ...question }
            questions.set(`${placeId} ${questionId}`, (answer) => {
              place.question = undefined
              options.onChange({ kind: 'state' })
              resolve(answer)
            })
            options.onChange({ kind: 'state' })
          }),
      }
    },
    answer(placeId, questionId, answer) {
      const key = `${placeId} ${questionId}`
      const resolve = questions.get(key)
      if (!resolve) throw new CodedError('place.not_found', 'This question was answered, or its connection has ended.')
      questions.delete(key)
      resolve(answer)
    },
    followAll() {
      isFollowing = true
      for (const { placeId } of file.list()) open(placeId).remote.want()
    },
    sessions: () => all().flatMap(({ sessions }) => [...sessions.values()]),
    inbox: () => all().flatMap(({ inbox }) => inbox),
    tasks: () => all().flatMap(({ tasks }) => [...tasks.values()]),
    route(method, input) {
      const target = targetOf(method, input)
      if (!target) return undefined
      const { sessionId, taskId, terminalId } = target
      const place =
        target.placeId !== undefined
          ? open(target.placeId)
          : sessionId !== undefined
            ? all().find((one) => one.hasSession(sessionId))
            : taskId !== undefined
              ? all().find((one) => one.tasks.has(taskId))
              : all().find((one) => terminalId !== undefined && one.terminals.has(terminalId))
      if (!place) return undefined
      // What is on this machine is never a place's, whatever it says.
      if (target.placeId === undefined && sessionId !== undefined && options.isLocal('session', sessionId))
        return undefined
      if (target.placeId === undefined && taskId !== undefined && options.isLocal('task', taskId)) return undefined
      return { placeId: place.place.placeId, call: (signal) => callThere(place, method, target.input, signal) }
    },
    async close() {
      for (const resolve of questions.values()) resolve(null)
      questions.clear()
      await Promise.all([...connected.keys()].map(drop))
    },
  }
}

/** Makes a call there. What comes back can only be about that place. */
async function callThere(
  place: ConnectedPlace,
  method: string,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { remote } = place
  const { placeId } = place.place
  if (method === 'push.session')
    return followRemoteSession(remote, input as { sessionId: string; since: number }, {
      ...(signal && { signal }),
      adapt: (push) => (push['type'] === 'start' ? { ...push, header: adaptHeader(placeId, push['header']) } : push),
      seen: (event) => {
        if (event['type'] === 'subagent.started' && typeof event['agentId'] === 'string') place.knows(event['agentId'])
      },
    })
  if (method.startsWith('push.')) return (await remote.ready(signal)).subscribe(method, input, signal)
  if (method === 'approval.reply') return replyOnce(remote, input as Parameters<typeof replyOnce>[1], signal)
  const result = await remote.call(method, await withRealFolder(remote, input, signal), signal)
  if (method === 'session.create' || method === 'session.fork' || method === 'conversation.import') {
    const { sessionId } = (result ?? {}) as { sessionId?: unknown }
    if (typeof sessionId === 'string') place.knows(sessionId)
  }
  if (method === 'terminal.open') {
    const { terminalId } = (result ?? {}) as { terminalId?: unknown }
    if (typeof terminalId === 'string') place.terminals.add(terminalId)
  }
  return adaptResult(placeId, method, result)
}

/** `~` is the home folder there, which only that machine knows. */
async function withRealFolder(
  remote: ConnectedPlace['remote'],
  input: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  const { folder } = (input ?? {}) as { folder?: unknown }
  if (typeof folder !== 'string' || (folder !== '~' && !folder.startsWith('~/'))) return input
  const { path } = (await remote.call('folder.list', { path: folder }, signal)) as { path?: unknown }
  return typeof path === 'string' && path.startsWith('/') ? { ...(input as object), folder: path } : input
}

function cacheFile(home: string, placeId: string): string {
  return join(home, 'cache', 'places', `${placeId}.json`)
}

/** The sessions that a place had when it was last connected. */
function recall(home: string, placeId: string): SessionSummary[] {
  try {
    return sessionsOf(placeId, JSON.parse(readFileSync(cacheFile(home, placeId), 'utf8')))
  } catch {
    return []
  }
}

function remember(home: string, placeId: string, sessions: readonly SessionSummary[]): void {
  try {
    const path = cacheFile(home, placeId)
    mkdirSync(join(home, 'cache', 'places'), { recursive: true, mode: 0o700 })
    // Paths as the place itself names them.
    const rows = sessions.map((summary) => ({ ...summary, folder: pathInPlace(summary.folder) }))
    writeFileSync(`${path}.tmp`, JSON.stringify(rows), { mode: 0o600 })
    renameSync(`${path}.tmp`, path)
  } catch (error) {
    process.stderr.write(`trestle: the sessions of ${placeId} were not remembered: ${failureOf(error).message}\n`)
  }
}
