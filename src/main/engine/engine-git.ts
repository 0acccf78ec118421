import { CodedError } from '../../shared/errors'
import type { EngineFoundation } from './engine-foundation'
import type { GitActions } from './git/git-actions'
import type { OpenRepository } from './git/repository/open-repository'
import { receiveChunks } from './loop/model-request'
import type { ModelRequest } from './model/provider'
import { agentTrace } from './runtime/agent-trace'

const DRAFT_LIMIT_MS = 60_000
/** Includes room for models that think first. */
const MAX_TOKENS = 4_000

/** Git for sessions. Its code is loaded when it is first used. */
export function createEngineGit(foundation: EngineFoundation): () => Promise<GitActions> {
  const { home, now, notify, store, env, environment, catalog } = foundation
  let loading: Promise<GitActions> | undefined

  const headerOf = (sessionId: string) => {
    const header = store.header(sessionId)
    if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
    return header
  }

  async function draft(sessionId: string, repository: OpenRepository, given?: AbortSignal): Promise<string> {
    const { draftPrompt, draftFrom, DRAFT_INSTRUCTIONS } = await import('./git/state/commit-draft')
    const prompt = await draftPrompt(repository)
    const { model } = headerOf(sessionId)
    const { info, provider } = (await catalog.smallModel(model)) ?? (await catalog.resolve(model))
    const effort = info.traits?.efforts?.[0]
    const request: ModelRequest = {
      model: info.model,
      system: DRAFT_INSTRUCTIONS,
      messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }],
      tools: [],
      maxOutputTokens: MAX_TOKENS,
      imagesIn: false,
      thinking: false,
      cache: 'none',
      ...(info.traits && { traits: info.traits }),
      ...(effort && { effort }),
    }
    const limit = AbortSignal.timeout(DRAFT_LIMIT_MS)
    const signal = given ? AbortSignal.any([given, limit]) : limit
    let answer = ''
    await receiveChunks(provider, request, { idleMs: DRAFT_LIMIT_MS, signal }, (chunk) => {
      if (chunk.type === 'text') answer += chunk.text
    })
    const message = draftFrom(answer)
    if (message === '') throw new CodedError('model.empty', 'The model wrote no message.')
    return message
  }

  return () =>
    (loading ??= import('./git/create-git').then(({ createGit }) =>
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
