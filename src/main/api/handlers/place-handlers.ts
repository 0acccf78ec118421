import { toRpcError, type ApiDeps, type Implementer } from '../implementer'

export function placeHandlers(os: Implementer, { engine: { places }, logBug }: ApiDeps) {
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
    remove: os.place.remove.handler(({ input }) => places.remove(input.placeId, input.deletes)),
    restore: os.place.restore.handler(({ input }) => places.restore(input.placeId)),
    run: os.place.run.handler(({ input }) => places.run(input.placeId, input.command)),
    forward: os.place.forward.handler(({ input }) => places.forward(input.placeId, input.port)),
    move: os.place.move.handler(({ input: { folder, ...input } }) =>
      mappedGenerator(places.move({ ...input, ...(folder !== undefined && { folder }) }), (error) =>
        toRpcError(error, logBug, 'place.move'),
      ),
    ),
    serveModels: os.place.serveModels.handler(({ input, signal }) => places.serveModels(input, signal)),
    modelReply: os.place.modelReply.handler(({ input }) => places.modelReply(input)),
  }
}

/** Yields the progress and maps the error that ends it to the form clients expect. */
async function* mappedGenerator<Push>(
  pushes: AsyncGenerator<Push, void, void>,
  mapError: (error: unknown) => unknown,
): AsyncGenerator<Push, void, void> {
  try {
    yield* pushes
  } catch (error) {
    throw mapError(error)
  }
}
