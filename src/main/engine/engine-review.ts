import type { EngineFoundation } from './engine-foundation'
import type { CheckpointManager } from './checkpoint/checkpoints'
import type { Reviews } from './review/reviews'
import type { Sessions } from './session/sessions-for-hosts'
import { readTrustState } from './trust/trust-state'

/** Reviews of an engine. Their code is loaded when the first one is opened. */
export function createEngineReview(
  { home }: Pick<EngineFoundation, 'home'>,
  { checkpoints, sessions }: { checkpoints: CheckpointManager; sessions: Pick<Sessions, 'prompt'> },
): Reviews {
  let loading: Promise<Reviews> | undefined
  const reviews = (): Promise<Reviews> =>
    (loading ??= import('./review/reviews').then(({ createReviews }) =>
      createReviews({
        access: checkpoints.access,
        isTrusted: (folder) => readTrustState(home, folder).state === 'trusted',
        prompt: (sessionId, text) => sessions.prompt(sessionId, [{ type: 'text', text }]),
      }),
    ))
  return {
    list: async (...given) => (await reviews()).list(...given),
    diffs: async (...given) => (await reviews()).diffs(...given),
    lines: async (...given) => (await reviews()).lines(...given),
    undo: async (...given) => (await reviews()).undo(...given),
    bases: async (...given) => (await reviews()).bases(...given),
    marks: async (...given) => (await reviews()).marks(...given),
    setViewed: async (...given) => (await reviews()).setViewed(...given),
    setKept: async (...given) => (await reviews()).setKept(...given),
    addComment: async (...given) => (await reviews()).addComment(...given),
    changeComment: async (...given) => (await reviews()).changeComment(...given),
    removeComment: async (...given) => (await reviews()).removeComment(...given),
    send: async (...given) => (await reviews()).send(...given),
    removed: async (...given) => (await reviews()).removed(...given),
  }
}
