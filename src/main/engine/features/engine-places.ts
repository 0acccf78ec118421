import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineFoundation } from '../foundation/engine-foundation'
import { createEngineJobs, type EngineJobs } from './engine-jobs'
import type { MoveProgress } from '../../../shared/model/place/move'
import type { SessionMoves } from '../session-move/session-moves'
import { createPushes } from '../place/connection/pushes'
import type { LaunchAsk } from '../place/launcher/launcher'
import type { PlaceActions, PlaceTestOptions } from '../place/place-actions'
import type { serveModels as ServeModels } from '../place/connection/serve-models'
import type { Places } from '../place/places'
import type { WireLink } from '../place/remote/wire-link'

export interface EnginePlaces extends EngineJobs {
  actions: PlaceActions
  /** Sets the `SessionMoves` of this engine; call it before the first move. */
  useMoves(moves: SessionMoves): void
  close(): Promise<void>
}

/** The places of an engine. The code is loaded if there are any. */
export function createEnginePlaces(
  foundation: EngineFoundation,
  { version, places: testOptions }: { version: string; places?: PlaceTestOptions },
): EnginePlaces {
  const { home, store, notify, now, catalog, clientModels, settings, log, onChange } = foundation
  const file = join(home, 'places.json')
  let loaded: Places | undefined
  let isFollowing = false
  let moves: SessionMoves | undefined
  const movesHere = (): SessionMoves => {
    if (!moves) throw new Error('nothing moves sessions here')
    return moves
  }
  let loading: Promise<Places> | undefined
  const smallModel = (): string | undefined => settings().smallModel
  const links = new Map<WireLink, AbortController>()
  const serveWith = async (serveModels: typeof ServeModels, link: WireLink, passesOn = false): Promise<void> => {
    links.get(link)?.abort()
    const controller = new AbortController()
    links.set(link, controller)
    await serveModels(link, { catalog, smallModel, log, passesOn }, controller.signal)
  }
  const serve = async (link: WireLink, passesOn = false): Promise<void> => {
    const { serveModels } = await import('../place/connection/serve-models')
    if (!link.reason) await serveWith(serveModels, link, passesOn)
  }
  const places = (): Promise<Places> =>
    (loading ??= Promise.all([
      import('../place/places'),
      // Loaded before the first connection: models are offered before any other request to the place.
      import('../place/connection/serve-models'),
    ]).then(([{ createPlaces }, { serveModels }]) => {
      loaded = createPlaces({
        home,
        version,
        now,
        isLocal(kind, id, placeId) {
          if (kind === 'task') return existsSync(join(home, 'tasks', id))
          const header = store.header(id)
          return header !== undefined && (placeId === undefined || header.sealed?.place !== placeId)
        },
        knows: (sessionId) => store.header(sessionId) !== undefined,
        isActiveHere(sessionId) {
          const header = store.header(sessionId)
          return header !== undefined && header.sealed === undefined
        },
        moves: {
          address: () => movesHere().address(),
          out: (...given) => movesHere().out(...given),
          in: (...given) => movesHere().in(...given),
          refuse: (...given) => movesHere().refuse(...given),
          cancel: (...given) => movesHere().cancel(...given),
        },
        moved: (sessionId) => notify({ kind: 'session.moved', sessionId }),
        onChange: (change) => notify(change.kind === 'state' ? { kind: 'places' } : change),
        connected({ models }, link) {
          if (models === 'there') return
          void serveWith(serveModels, link)
          void link.ended.then(() => links.delete(link))
        },
        ...testOptions,
      })
      return loaded
    }))
  // The offered models have changed.
  onChange(({ kind }) => {
    if (kind === 'settings' || kind === 'models') for (const link of links.keys()) void serve(link)
  })
  const asking = async (placeId: string, way: LaunchAsk['way']): Promise<LaunchAsk> =>
    way === 'user' ? (await places()).askInView(placeId) : { way }
  const hasPlaces = (): boolean => loaded !== undefined || existsSync(file)
  const jobs = createEngineJobs(foundation, {
    version,
    serve(link) {
      void serve(link, true)
      void link.ended.then(() => links.delete(link))
    },
  })
  const loadedPlaces = async (): Promise<Places | undefined> => (hasPlaces() ? places() : undefined)
  return {
    ...jobs,
    useMoves: (given) => (moves = given),
    actions: {
      async list() {
        if (!hasPlaces()) return []
        // Another process may have added one in the meantime.
        if (isFollowing) (await places()).followAll()
        return (await places()).list()
      },
      add: async (place) => (await places()).add(place),
      remove: async (placeId, deletes) => (await places()).remove(placeId, deletes),
      restore: async (placeId) => (await places()).restore(placeId),
      connect: async (placeId, way) => (await places()).connect(placeId, await asking(placeId, way)),
      disconnect: async (placeId) => (await places()).disconnect(placeId),
      test: async (placeId, way) => (await places()).test(placeId, await asking(placeId, way)),
      update: async (placeId, way) => (await places()).update(placeId, await asking(placeId, way)),
      run: async (placeId, command) => (await places()).run(placeId, command),
      async *move(request) {
        const progress = createPushes<MoveProgress>()
        const moving = (await places()).move(request, progress.push)
        moving.then(
          () => progress.end(),
          (error: unknown) => progress.end(error),
        )
        yield* progress.all()
      },
      forward: async (placeId, port) => ({ port: await (await places()).forward(placeId, port) }),
      answer: async (...answer) => (await places()).answer(...answer),
      async follow() {
        // The engine of a place serves its client; it does not connect to further places.
        isFollowing = process.env['TRESTLE_PLACE'] !== '1'
        if (isFollowing && hasPlaces()) (await places()).followAll()
      },
      sessions: () => loaded?.sessions() ?? [],
      inbox: () => loaded?.inbox() ?? [],
      tasks: () => loaded?.tasks() ?? [],
      usage: () => loaded?.usage() ?? [],
      watchUsage: (changed) => loaded?.watchUsage(changed) ?? (() => undefined),
      addUsage: async (report, days, place) => (await loadedPlaces())?.addUsage(report, days, place) ?? report,
      addHits: async (...given) => (await loadedPlaces())?.addHits(...given) ?? given[0],
      route(method, input) {
        if (loaded) return loaded.route(method, input)
        return existsSync(file) ? places().then((all) => all.route(method, input)) : undefined
      },
      serveModels: clientModels.serve,
      modelReply: clientModels.reply,
      asksClients: clientModels.isAsking,
    },
    async close() {
      for (const controller of links.values()) controller.abort()
      if (loading) await (await loading).close()
    },
  }
}
