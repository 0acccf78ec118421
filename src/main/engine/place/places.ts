import { randomBytes } from 'node:crypto'
import { CodedError } from '../../../shared/errors'
import type { InboxEntry } from '../../../shared/model/approval/approval'
import {
  isPerSession,
  type Place,
  type PlaceRemoved,
  type PlaceRun,
  type PlaceTest,
  type PlaceView,
} from '../../../shared/model/place/place'
import type { SearchHit, SessionSummary } from '../../../shared/model/session/session'
import type { UsageReport } from '../../../shared/model/turn/usage'
import type { Task, TaskUsage } from '../../../shared/model/task/task'
import { addHitsOf, addUsageOf } from './connection/ask-all'
import { callThere } from './connection/call-there'
import { ConnectedPlace, type PlaceChange } from './connection/connected-place'
import type { LaunchAsk } from './launcher/launcher'
import type { MoveProgress, MoveStep } from '../../../shared/model/place/move'
import type { SessionMoves } from '../session-move/session-moves'
import { launcherOf, type LauncherDeps } from './launchers'
import { cleanUpRemovedPlace, ownPlaceOf } from './own-place'
import { localEnd, placeEnd, type MoveEnd } from './move/move-ends'
import { moveSession } from './move/move-session'
import { openPlacesFile } from './places-file'
import type { RemoteTiming } from './remote/remote-engine'
import type { LinkLimits, WireLink } from './remote/wire-link'
import { recall, remember } from './connection/remembered-sessions'
import { targetOf, type CallTarget } from './connection/route-calls'
import { testPlace } from './connection/test-place'

export interface PlacesOptions extends Omit<LauncherDeps, 'clientId'> {
  now(): number
  /** Whether an id belongs to this machine; except sessions that were moved from here to that place. */
  isLocal(kind: 'session' | 'task', id: string, placeId?: string): boolean
  /** Whether this machine has the session, even if it was moved away. */
  knows(sessionId: string): boolean
  /** Whether it continues on this machine. */
  isActiveHere(sessionId: string): boolean
  onChange(change: PlaceChange): void
  moves: SessionMoves
  /** A session is now on another machine, so its followers must subscribe again. */
  moved?(sessionId: string): void
  /** Called for each new connection to a place. */
  connected?(place: Place, link: WireLink): void
  timing?: Partial<RemoteTiming>
  limits?: LinkLimits
}

export interface MoveRequest {
  sessionId: string
  /** A place; null: this machine. */
  to: string | null
  folder?: string
}

/** A call that is routed to a place. */
export interface RoutedCall {
  placeId: string
  call(signal?: AbortSignal): Promise<unknown>
}

/** Calls with which the user starts to work on a place. */
const STARTS_WORK = new Set(['session.create', 'folder.list'])

/** The places of a home, their connections, and what is on them. */
export interface Places {
  list(): PlaceView[]
  add(place: Omit<Place, 'addedAt'>): PlaceView
  /** `deletes`: also permanently deletes what was created for it. Returns what was deleted. */
  remove(placeId: string, deletes?: boolean): Promise<PlaceRemoved>
  restore(placeId: string): PlaceView
  connect(placeId: string, ask: LaunchAsk): Promise<PlaceView>
  disconnect(placeId: string): Promise<PlaceView>
  test(placeId: string, ask: LaunchAsk): Promise<PlaceTest>
  update(placeId: string, ask: LaunchAsk): Promise<PlaceTest>
  run(placeId: string, command: string): Promise<PlaceRun>
  /** Asks the user through the view of the place, and waits for `answer`. */
  askInView(placeId: string): LaunchAsk
  answer(placeId: string, questionId: string, answer: string | null): void
  /** Forwards a TCP port of a place to this machine; returns the local port. */
  forward(placeId: string, port: number): Promise<number>
  /** Moves a session from wherever it is to a place, or (undefined) to this machine. */
  move(move: MoveRequest, report: (progress: MoveProgress) => void): Promise<void>
  /** Keeps every place connected, for clients that show lists. */
  followAll(): void
  sessions(): SessionSummary[]
  inbox(): InboxEntry[]
  tasks(): Task[]
  /** Measures the resource usage of their running tasks. Returns a function to stop. */
  watchUsage(changed: () => void): () => void
  usage(): TaskUsage[]
  addUsage(report: UsageReport, days: number, place?: string | null): Promise<UsageReport>
  addHits(hits: SearchHit[], query: string, limit: number): Promise<SearchHit[]>
  /** Routes a call to its place; undefined: it concerns this machine. */
  route(method: string, input: unknown): RoutedCall | undefined | Promise<RoutedCall | undefined>
  close(): Promise<void>
}

export function createPlaces(options: PlacesOptions): Places {
  const { home, now } = options
  const file = openPlacesFile(home)
  const connected = new Map<string, ConnectedPlace>()
  const questions = new Map<string, (answer: string | null) => void>()
  /** Sessions that are being moved. */
  const moving = new Set<string>()
  const usageWatchers = new Set<() => void>()
  let isFollowing = false

  /** Whether a session doesn't belong to that place, because it is on this machine or was moved to another place. */
  const isNotThere = (sessionId: string, placeId: string): boolean => {
    const to = file.movedTo(sessionId)
    if (to === undefined) return options.isLocal('session', sessionId, placeId)
    // It may have returned another way, as a file.
    return to !== placeId || options.isActiveHere(sessionId)
  }
  const isTaken =
    (placeId: string) =>
    (kind: 'session' | 'task', id: string): boolean =>
      (kind === 'session' ? isNotThere(id, placeId) : options.isLocal(kind, id)) ||
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
      remembered: recall(home, placeId).filter(({ sessionId }) => !isNotThere(sessionId, placeId)),
      isTaken: isTaken(placeId),
      onChange(change) {
        if (change.kind === 'session' || change.kind === 'session.removed') rememberSoon(made)
        options.onChange(change)
      },
      connected: (link) => options.connected?.(place, link),
    })
    connected.set(placeId, made)
    if (usageWatchers.size > 0) made.usage.watch(usageChanged)
    return made
  }

  const usageChanged = (): void => {
    for (const changed of usageWatchers) changed()
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
    place.close()
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
  /** The place that a call concerns. Nothing on this machine belongs to a place, whatever the place claims. */
  const placeOf = ({ placeId, sessionId, taskId, terminalId }: CallTarget): ConnectedPlace | undefined => {
    if (placeId !== undefined) return open(placeId)
    if (sessionId !== undefined)
      return all().find((one) => one.hasSession(sessionId) && !isNotThere(sessionId, one.place.placeId))
    if (taskId !== undefined)
      return options.isLocal('task', taskId) ? undefined : all().find((one) => one.tasks.has(taskId))
    return all().find((one) => terminalId !== undefined && one.terminals.has(terminalId))
  }
  /** Right after the start, a place may not have listed its sessions yet. */
  const findUnknown = async (sessionId: string): Promise<ConnectedPlace | undefined> => {
    if (options.knows(sessionId)) return undefined
    for (const { placeId } of file.list()) open(placeId)
    await Promise.all(all().map(async (one) => one.hasSession(sessionId) || one.listed(one.remote.isKeptConnected)))
    return placeOf({ sessionId, input: undefined })
  }

  /** Creates a place with its own container for a session; deletes it again if the session cannot be started. */
  const inOwnPlace = async (parentId: string, begin: (own: ConnectedPlace) => Promise<unknown>): Promise<unknown> => {
    const own = ownPlaceOf(file.get(parentId), now())
    file.add(own)
    const place = open(own.placeId)
    options.onChange({ kind: 'state' })
    try {
      await place.remote.connect()
      return await begin(place)
    } catch (error) {
      await drop(own.placeId)
      await place.launcher.remove?.().catch(() => undefined)
      file.forget(own.placeId)
      options.onChange({ kind: 'state' })
      throw error
    }
  }

  return {
    list: () => file.list().map(viewOf),
    add(place) {
      const added = { ...place, addedAt: now() }
      file.add(added)
      if (isFollowing) open(place.placeId).remote.keepConnected()
      options.onChange({ kind: 'state' })
      return viewOf(added)
    },
    async remove(placeId, deletes = false) {
      const { launcher } = open(placeId)
      // If deleting fails, the place stays in the list.
      const deleted = deletes ? ((await launcher.remove?.()) ?? []) : []
      const gone = [...(connected.get(placeId)?.sessions.keys() ?? [])]
      await drop(placeId)
      file.remove(placeId)
      for (const sessionId of gone) options.onChange({ kind: 'session.removed', sessionId })
      options.onChange({ kind: 'inbox' })
      options.onChange({ kind: 'state' })
      return { deleted, ...(!deletes && (await cleanUpRemovedPlace(launcher))) }
    },
    restore(placeId) {
      const place = file.restore(placeId)
      if (isFollowing)
        for (const summary of open(placeId).sessions.values()) options.onChange({ kind: 'session', summary })
      if (isFollowing) open(placeId).remote.keepConnected()
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
      place.forwards.close()
      await place.remote.disconnect()
      await place.launcher.stop()
      return place.view()
    },
    test: (placeId, ask) => testPlace(open(placeId), ask),
    async update(placeId, ask) {
      const place = open(placeId)
      await place.launcher
        .prepare({ ask, progress: (text) => place.showProgress(text) })
        .finally(() => place.showProgress(undefined))
      // Running work is handed over to the engine of this version, which the next connection starts.
      if (place.remote.link) await place.remote.call('engine.stop', { how: 'hand-over' }).catch(() => undefined)
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
    async forward(placeId, port) {
      const place = open(placeId)
      await place.remote.ready()
      return place.forwards.open(port)
    },
    async move({ sessionId, to, folder }, report) {
      const source = placeOf({ sessionId, input: undefined }) ?? (await findUnknown(sessionId))
      const target = to === null ? undefined : open(to)
      if (source === target) throw new CodedError('request.invalid', 'The session is already there.')
      if (!source && !options.knows(sessionId))
        throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
      if (moving.has(sessionId)) throw new CodedError('session.busy', 'It is being moved already.')
      moving.add(sessionId)
      try {
        let step: MoveStep = 'connect'
        const copying = (text: string): void => report({ type: 'step', step, text })
        const end = (place: ConnectedPlace | undefined): MoveEnd =>
          place ? placeEnd(place, copying) : localEnd(options.moves)
        const moved = await moveSession({
          from: end(source),
          to: end(target),
          sessionId,
          home,
          ...(folder !== undefined && { folder }),
          step(next) {
            step = next
            report({ type: 'step', step })
          },
        })
        if (source || target === undefined) file.noteMove(sessionId, to)
        source?.forget(sessionId)
        target?.rememberSession(sessionId)
        options.moved?.(sessionId)
        report({ type: 'done', ...(moved && { moved }) })
      } finally {
        moving.delete(sessionId)
      }
    },
    followAll() {
      isFollowing = true
      for (const { placeId } of file.list()) open(placeId).remote.keepConnected()
    },
    sessions: () => all().flatMap(({ sessions }) => [...sessions.values()]),
    inbox: () => all().flatMap(({ inbox }) => inbox),
    tasks: () => all().flatMap(({ tasks }) => [...tasks.values()]),
    watchUsage(changed) {
      usageWatchers.add(changed)
      if (usageWatchers.size === 1) for (const place of all()) place.usage.watch(usageChanged)
      return () => {
        usageWatchers.delete(changed)
        if (usageWatchers.size === 0) for (const place of all()) place.usage.stop()
      }
    },
    addUsage: (report, days, place) =>
      addUsageOf(
        file.list().map(({ placeId }) => open(placeId)),
        report,
        days,
        place,
      ),
    addHits: (...given) => addHitsOf(all(), ...given),
    usage: () => all().flatMap(({ usage }) => usage.newest),
    route(method, input) {
      const target = targetOf(method, input)
      if (!target) return undefined
      const find = (): RoutedCall | undefined => {
        const place = placeOf(target)
        if (!place) return undefined
        const { placeId, launch } = place.place
        const call: RoutedCall['call'] = async (signal) => {
          // The user chose to work there, so its container, pod or job is started.
          if (STARTS_WORK.has(method) && !place.remote.link) await place.remote.connect()
          return callThere(place, method, target.input, signal)
        }
        if (method !== 'session.create' || !isPerSession(launch)) return { placeId, call }
        return { placeId, call: (signal) => inOwnPlace(placeId, (own) => callThere(own, method, target.input, signal)) }
      }
      const found = find()
      const { sessionId } = target
      if (found || sessionId === undefined || options.knows(sessionId)) return found
      return findUnknown(sessionId).then(find)
    },
    async close() {
      for (const resolve of questions.values()) resolve(null)
      questions.clear()
      await Promise.all([...connected.keys()].map(drop))
    },
  }
}
