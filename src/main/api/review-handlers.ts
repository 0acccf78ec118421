import type { ApiDeps, Implementer } from './implementer'

export function reviewHandlers(os: Implementer, { engine: { reviews } }: ApiDeps) {
  return {
    list: os.review.list.handler(({ input }) => reviews.list(input.sessionId, input.scope)),
    diffs: os.review.diffs.handler(({ input }) =>
      reviews.diffs(input.sessionId, input.scope, input.paths, { secrets: input.secrets }),
    ),
    lines: os.review.lines.handler(({ input: { sessionId, scope, ...range } }) =>
      reviews.lines(sessionId, scope, range),
    ),
    undo: os.review.undo.handler(({ input }) => reviews.undo(input.sessionId, input.scope, input.files)),
    bases: os.review.bases.handler(({ input }) => reviews.bases(input.sessionId)),
    marks: os.review.marks.handler(({ input }) => reviews.marks(input.sessionId, input.scope)),
    setViewed: os.review.setViewed.handler(({ input: { sessionId, viewed, ...file } }) =>
      reviews.setViewed(sessionId, file, viewed),
    ),
    setKept: os.review.setKept.handler(({ input }) =>
      reviews.setKept(input.sessionId, input.path, input.ids, input.kept),
    ),
    addComment: os.review.addComment.handler(({ input: { sessionId, scope, ...comment } }) =>
      reviews.addComment(sessionId, scope, comment),
    ),
    changeComment: os.review.changeComment.handler(({ input }) =>
      reviews.changeComment(input.sessionId, input.id, input.text),
    ),
    removeComment: os.review.removeComment.handler(({ input }) =>
      reviews.removeComment(input.sessionId, input.id, input.undo),
    ),
    send: os.review.send.handler(({ input }) => reviews.send(input.sessionId)),
  }
}
