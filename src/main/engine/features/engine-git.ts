import { CodedError } from '../../../shared/errors'
import type { EngineFoundation } from '../foundation/engine-foundation'
import type { GitActions } from '../git/git-actions'
import type { OpenRepository } from '../git/repository/open-repository'
import { askOnce } from '../loop/model-request'
import { agentTrace } from '../runtime/agent-trace'

const DRAFT_LIMIT_MS = 60_000
/** Includes room for models that think first. */
const MAX_TOKENS = 4_000

/** Git for sessions. The code is loaded on first use. */
export function createEngineGit(foundation: EngineFoundation): () => Promise<GitActions> {
  const { home, now, notify, store, env, environment, catalog } = foundation
  let loading: Promise<GitActions> | undefined

  const headerOf = (sessionId: string) => {
    const header = store.header(sessionId)
    if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
    return header
  }

  async function draft(sessionId: string, repository: OpenRepository, signal?: AbortSignal): Promise<string> {
    const { draftPrompt, draftFrom, DRAFT_INSTRUCTIONS } = await import('../git/state/commit-draft')
    const prompt = await draftPrompt(repository)
    const { model } = headerOf(sessionId)
    const { answer } = await askOnce((await catalog.smallModel(model)) ?? (await catalog.resolve(model)), {
      system: DRAFT_INSTRUCTIONS,
      prompt,
      maxOutputTokens: MAX_TOKENS,
      limitMs: DRAFT_LIMIT_MS,
      signal,
    })
    const message = draftFrom(answer)
    if (message === '') throw new CodedError('model.empty', 'The model wrote no message.')
    return message
  }

  return () =>
    (loading ??= import('../git/create-git').then(({ createGit }) =>
      createGit({
        home,
        now,
        env: async () => {
          await environment.ready()
          return env()
        },
        folderOf: (sessionId) => headerOf(sessionId).folder,
        notify: () => notify({ kind: 'git' }),
        agentTrace: () => agentTrace({ home, orphans: false }),
        draft,
      }),
    ))
}
