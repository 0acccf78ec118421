import type { ApiDeps, Implementer } from './implementer'

export function moveHandlers(os: Implementer, { engine: { moves } }: ApiDeps) {
  return {
    address: os.move.address.handler(() => moves.address()),
    out: os.move.out.handler(({ input: { sessionId, file, to, place } }) =>
      moves.out(sessionId, file, { address: to, ...(place !== undefined && { place }) }),
    ),
    in: os.move.in.handler(({ input: { file, folder, head } }) =>
      moves.in(file, { ...(folder !== undefined && { folder }), ...(head !== undefined && { head }) }),
    ),
    refuse: os.move.refuse.handler(({ input }) => moves.refuse(input.moveId)),
    cancel: os.move.cancel.handler(({ input }) => moves.cancel(input.sessionId, input.moveId)),
  }
}
