import { CodedError } from '../../src/shared/errors'
import type { Place, PlaceView } from '../../src/shared/model/place/place'
import { createClientModels } from '../../src/main/engine/model/client-models'
import type { PlaceActions } from '../../src/main/engine/place/place-actions'

/** The places of the engine double: a list, without anything to connect to. */
export function memoryPlaces(): PlaceActions {
  const places = new Map<string, Place>()
  const clientModels = createClientModels({ file: '/nonexistent/client-models.json', changed: () => undefined })
  const view = (placeId: string): PlaceView => {
    const place = places.get(placeId)
    if (!place) throw new CodedError('place.not_found', `There is no place "${placeId}".`)
    return { ...place, state: 'idle', since: 0, sessions: 0 }
  }
  const test = async (placeId: string) => ({
    ok: false,
    steps: [{ step: 'connect' as const, ok: false, text: view(placeId).placeId, durationMs: 1 }],
  })
  return {
    list: async () => [...places.keys()].map(view),
    async add(place) {
      places.set(place.placeId, { ...place, addedAt: 0 })
      return view(place.placeId)
    },
    async remove(placeId) {
      view(placeId)
      return { deleted: [] }
    },
    restore: async (placeId) => view(placeId),
    connect: async (placeId) => view(placeId),
    disconnect: async (placeId) => view(placeId),
    test,
    update: test,
    run: async (_placeId, command) => ({ exitCode: 0, stdout: command, stderr: '' }),
    forward: async (_placeId, port) => ({ port }),
    async *move() {
      yield { type: 'done' as const }
    },
    answer: async () => undefined,
    follow: async () => undefined,
    sessions: () => [],
    inbox: () => [],
    tasks: () => [],
    usage: () => [],
    watchUsage: () => () => undefined,
    addUsage: async (report) => report,
    addHits: async (hits) => hits,
    route: () => undefined,
    serveModels: clientModels.serve,
    modelReply: clientModels.reply,
    asksClients: clientModels.isAsking,
  }
}
