import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CodedError } from '../../../shared/model/errors'
import type { RecordedEvent } from '../../../shared/model/event'
import type { SessionHeader } from '../../../shared/model/session'
import type { FolderSettings } from '../config/project-settings'
import { fitHistory } from '../context/fit'
import { recentHistory } from '../context/history'
import { findInstructions, repositoryTop } from '../context/instructions'
import { isLoadable } from '../context/skill-section'
import { systemPrompt } from '../context/system-prompt'
import type { Hooks } from '../hook/create-hooks'
import { createCallIds } from '../loop/call-ids'
import type { ToolLookup } from '../loop/tool-lookup'
import type { TurnContext } from '../loop/turn-context'
import { runTurn, type TurnEnd } from '../loop/turn'
import type { ModelInfo, Provider, ToolSchema } from '../model/provider'
import type { Skills } from '../skill/skills'
import type { ReadState, Workspace } from '../workspace/workspace'
import type { Session, TurnRunner } from './session'
import type { Store } from './store'

/** Tokens kept free for the answer when the model's own limit is not known. */
const ANSWER_RESERVE = 8000
const CHARS_PER_TOKEN = 3.2

export interface TurnRunnerDeps {
  home: string
  store: Store
  settingsFor(folder: string): Promise<FolderSettings>
  skills: Pick<Skills, 'list'>
  hooks?: Pick<Hooks, 'forTurn'>
  resolveModel(id: string | undefined): Promise<{ info: ModelInfo; provider: Provider }>
  workspaceOf(session: Session): Workspace
  toolsOf(session: Session, model: ModelInfo, disabled: readonly string[]): ToolLookup
  /** Prepares the news of background tasks that the session is owed. */
  gatherNews(session: Session): Promise<void>
  /** Gets ready for commands. */
  warm(): void
  log(message: string): void
  now(): number
  newId(prefix: string): string
}

/** Gathers what a turn needs from all over the engine, and runs it. */
export function createTurnRunner(deps: TurnRunnerDeps): TurnRunner {
  return {
    async ready(header: SessionHeader) {
      const folder = await stat(header.folder).catch(() => undefined)
      if (!folder?.isDirectory()) throw new CodedError('session.folder_missing', `The folder ${header.folder} is not there.`)
      const { info } = await deps.resolveModel(header.model)
      return { modelId: info.id }
    },

    async run(session, turnId, signal, open): Promise<TurnEnd> {
      await deps.gatherNews(session)
      const { header } = session
      const { info, provider } = await deps.resolveModel(header.model)
      const { settings, problems } = await deps.settingsFor(header.folder)
      for (const { file, line, message } of problems) deps.log(`${file}${line === undefined ? '' : `:${line}`}: ${message}`)
      const [instructions, top, { skills }] = await Promise.all([
        findInstructions(deps.home, header.folder),
        repositoryTop(header.folder),
        deps.skills.list(header.folder),
      ])
      const system = systemPrompt(
        {
          folder: header.folder,
          addedFolders: header.addedFolders,
          isGitRepository: top !== undefined,
          today: localDay(deps.now()),
          modelLabel: info.label,
        },
        instructions,
        settings.tools.disabled.includes('Skill') ? [] : skills,
      )
      // Read from the log each time: what a turn starts from is then the same after a restart.
      const maxChars = info.contextWindow * CHARS_PER_TOKEN * 2
      const history = recentHistory(remembering(deps.store.historyBackwards(session.id), deps.workspaceOf(session).reads), maxChars)
      const callId = createCallIds(history)
      // The results of the open step come with all its calls.
      if (open) history.splice(history.findLastIndex((message) => message.role !== 'tool') + 1)
      const hooks = deps.hooks?.forTurn(session, turnId, signal, settings.hooks)
      const ctx: TurnContext = {
        turnId,
        provider,
        model: {
          id: info.id,
          name: info.model,
          imagesIn: info.imagesIn,
          thinking: info.thinking,
          toolCalls: info.toolCalls,
          ...(info.maxOutputTokens !== undefined && { maxOutputTokens: info.maxOutputTokens }),
        },
        system,
        tools: deps.toolsOf(session, info, [
          ...settings.tools.disabled,
          ...(settings.web.search ? [] : ['WebSearch']),
          ...(skills.some(isLoadable) ? [] : ['Skill']),
        ]),
        history,
        fit: (messages, tools) => fitHistory(messages, budgetFor(info, system, tools)),
        record: (...events) => void session.record(...events),
        live: (event) => session.live(event),
        gate: session.approvals.gate,
        ...(hooks && { hooks }),
        withdraw: (asked, reason) => session.approvals.withdraw(asked, reason),
        takeSteering: () => session.takeSteering(),
        saveResult: (callId, text) => saveResult(deps.home, session.id, callId, text),
        warm: deps.warm,
        maxResultChars: (tool) => settings.tools.maxResultChars[tool],
        settings: settings.loop,
        cacheKey: session.id,
        signal,
        now: deps.now,
        random: Math.random,
        pause: (ms, abort) => pause(ms, undefined, { signal: abort }),
        newId: deps.newId,
        callId,
      }
      return runTurn(ctx, open)
    },
  }
}

/** Passes events on, newest first, and notes which file contents the agent has seen: its memory survives a restart. */
function* remembering(events: Iterable<RecordedEvent>, reads: ReadState): Iterable<RecordedEvent> {
  for (const event of events) {
    const details = event.type === 'tool.finished' ? event.details : undefined
    if (
      (details?.kind === 'file' || details?.kind === 'diff') &&
      details.hash !== undefined &&
      reads.lastRead(details.path) === undefined
    ) {
      reads.markRead(details.path, details.hash)
    }
    yield event
  }
}

/** Characters of the tools' schemas, which are the same at every step. */
const toolChars = new WeakMap<readonly ToolSchema[], number>()

function budgetFor(info: ModelInfo, system: string, tools: readonly ToolSchema[]): number {
  const chars = toolChars.get(tools) ?? JSON.stringify(tools).length
  toolChars.set(tools, chars)
  const fixed = (system.length + chars) / CHARS_PER_TOKEN
  const reserve = Math.min(info.maxOutputTokens ?? ANSWER_RESERVE, info.contextWindow / 4)
  return Math.max(1000, info.contextWindow - reserve - fixed)
}

async function saveResult(home: string, sessionId: string, callId: string, text: string): Promise<string> {
  const folder = join(home, 'sessions', sessionId, 'tool-results')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${callId.replace(/[^\w.-]/g, '_').slice(0, 100)}.txt`)
  await writeFile(path, text, { mode: 0o600 })
  return path
}

function localDay(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`
}
