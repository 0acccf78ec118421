import type { ApiDeps, Implementer } from './implementer'

export function placeHandlers(os: Implementer, { engine: { places } }: ApiDeps) {
  return {
    list: os.place.list.handler(() => places.list()),
    add: os.place.add.handler(({ input }) => places.add(input)),
    test: os.place.test.handler(({ input }) => places.test(input.placeId, 'user')),
    connect: os.place.connect.handler(({ input }) => places.connect(input.placeId, 'user')),
    disconnect: os.place.disconnect.handler(({ input }) => places.disconnect(input.placeId)),
    answer: os.place.answer.handler(({ input: { placeId, questionId, answer } }) =>
      places.answer(placeId, questionId, answer),
    ),
    update: os.place.update.handler(({ input }) => places.update(input.placeId, 'user')),
    remove: os.place.remove.handler(({ input }) => places.remove(input.placeId)),
    restore: os.place.restore.handler(({ input }) => places.restore(input.placeId)),
    run: os.place.run.handler(({ input }) => places.run(input.placeId, input.command)),
    forward: os.place.forward.handler(({ input }) => places.forward(input.placeId, input.port)),
    move: os.place.move.handler(({ input: { folder, ...input } }) =>
      places.move({ ...input, ...(folder !== undefined && { folder }) }),
    ),
    serveModels: os.place.serveModels.handler(({ input, signal }) => places.serveModels(input, signal)),
    modelReply: os.place.modelReply.handler(({ input }) => places.modelReply(input)),
  }
}
