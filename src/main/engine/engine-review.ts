import type { EngineFoundation } from './foundation/engine-foundation'
import type { CheckpointManager } from './checkpoint/checkpoints'
import type { Reviews } from './review/reviews'
import type { Sessions } from './session/sessions-for-hosts'

/** Reviews in an engine. The code is loaded when the first review is opened. */
export function createEngineReview(
  { home, env, environment }: Pick<EngineFoundation, 'home' | 'env' | 'environment'>,
  { checkpoints, sessions }: { checkpoints: CheckpointManager; sessions: Pick<Sessions, 'prompt'> },
): Reviews {
  let loading: Promise<Reviews> | undefined
  const commandEnv = async () => {
    await environment.ready()
    return env()
  }
  const reviews = (): Promise<Reviews> =>
    (loading ??= Promise.all([import('./review/reviews'), import('./git/repository/open-to-read')]).then(
      ([{ createReviews }, { openToRead }]) =>
        createReviews({
          access: checkpoints.access,
          openRepository: (folder) => openToRead({ home, env: commandEnv }, folder),
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
