import type { AvailableCommand } from '@agentclientprotocol/sdk'
import { CodedError } from '../../../../shared/errors'
import { promptCommand } from '../../../../shared/configuration/customize/mcp-content'
import type { UserPart } from '../../../../shared/model/turn/message'
import type { ClientEngine } from '../../../role/joined/client-engine'
import { oneLine } from '../../../console/output'
import { failureMessage } from '../protocol/json-rpc'
import type { RestoreRequest } from '../../../engine/checkpoint/restore-session'

interface SlashCommand {
  description: string
  hint?: string
  /** Runs the command and reports the outcome; returns parts if the agent should get a prompt. */
  run(
    engine: ClientEngine,
    sessionId: string,
    words: string,
    say: (text: string) => undefined,
  ): Promise<UserPart[] | undefined>
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  plan: {
    description: 'Turn plan mode (read-only until you approve the plan) on or off',
    hint: 'what to plan',
    async run({ sessions, plans }, sessionId, words, say) {
      const isOn = sessions.header(sessionId).plan?.active === true
      if (words === '' && isOn) {
        await plans.leave(sessionId)
        return say('Plan mode is off.')
      }
      if (!isOn) await plans.enter(sessionId)
      if (words === '') return say('Plan mode is on. Describe what to plan.')
      return [{ type: 'text', text: words }]
    },
  },
  compact: {
    description: 'Summarize the conversation to free up context',
    hint: 'what to keep',
    async run({ sessions }, sessionId, words, say) {
      const isDone = await sessions.compact(sessionId, words === '' ? undefined : words)
      return say(
        isDone ? 'The conversation was summarized; the full history stays in the session.' : 'Summarizing was stopped.',
      )
    },
  },
  context: {
    description: 'Show what uses the context window',
    async run({ sessions }, sessionId, _words, say) {
      const { used, window, parts, heaviest } = await sessions.context(sessionId)
      const percent = Math.round((used / window) * 100)
      const rows = Object.entries(parts).map(([kind, tokens]) => `| ${kind} | ${tokens.toLocaleString('en-US')} |`)
      const heavy = heaviest.slice(0, 5).map(({ label, tokens }) => `- ${label}: ${tokens.toLocaleString('en-US')}`)
      return say(
        [
          `About ${used.toLocaleString('en-US')} of ${window.toLocaleString('en-US')} tokens (${percent}%).`,
          ['| what | tokens |', '| --- | --- |', ...rows].join('\n'),
          ...(heavy.length > 0 ? [`The largest:\n${heavy.join('\n')}`] : []),
        ].join('\n\n'),
      )
    },
  },
  tools: {
    description: 'List every tool with the tokens it adds to each request',
    async run({ sessions }, sessionId, _words, say) {
      const { tools, cost } = await sessions.tools(sessionId)
      const rows = tools
        .toSorted((a, b) => b.tokens - a.tokens)
        .map(
          ({ name, state, reason, tokens }) =>
            `| ${name} | ${state}${reason ? `: ${cell(reason)}` : ''} | ${tokens.toLocaleString('en-US')} |`,
        )
      const servers =
        cost &&
        `${cost.sent} of ${cost.tools} tools of servers are sent with each ` +
          `request${cost.isSearching ? '; the others are found by search' : ''}.`
      return say(
        [['| tool | state | tokens |', '| --- | --- | --- |', ...rows].join('\n'), ...(servers ? [servers] : [])].join(
          '\n\n',
        ),
      )
    },
  },
  undo: {
    description: 'Undo everything since your last message: files and conversation',
    async run(engine, sessionId, _words, say) {
      const last = (await engine.checkpoints.points(sessionId)).at(-1)
      if (!last) return say('There is no message to undo.')
      return restore(engine, sessionId, { to: last.seq - 1, files: true, conversation: true }, say)
    },
  },
  redo: {
    description: 'Redo the last undo',
    async run(engine, sessionId, _words, say) {
      const latest = await engine.checkpoints.latestRestore(sessionId)
      if (!latest) return say('Nothing was undone in this session.')
      return restore(
        engine,
        sessionId,
        { to: latest.seq - 1, files: latest.count > 0, conversation: latest.conversation !== undefined },
        say,
      )
    },
  },
  tasks: {
    description: 'List background tasks of this session',
    async run({ tasks }, sessionId, _words, say) {
      const own = (await tasks.list({ limit: 200 })).filter((task) => task.sessionId === sessionId && task.background)
      return say(
        own.length === 0
          ? 'There are no background tasks.'
          : own
              .map(
                ({ taskId, status, description, command }) =>
                  `- \`${taskId}\` ${status.replace('_', ' ')}: ${oneLine(description ?? command)}`,
              )
              .join('\n'),
      )
    },
  },
}

/** All slash commands: Trestle's own, the project's skills, and known prompts of MCP servers. */
export async function slashCommands(
  { skills, sessions, mcpContent }: Pick<ClientEngine, 'skills' | 'sessions' | 'mcpContent'>,
  sessionId: string,
): Promise<AvailableCommand[]> {
  const [found, prompts] = await Promise.all([
    skills.list(sessions.header(sessionId).folder),
    // If a server fails, only its prompts are missing.
    mcpContent.prompts(sessionId).catch(() => []),
  ])
  const own = Object.entries(COMMANDS).map(([name, { description, hint }]) => command(name, description, hint))
  const usable = found.skills.filter(({ name, hiddenBy }) => hiddenBy === undefined && !Object.hasOwn(COMMANDS, name))
  return [
    ...own,
    ...usable.map((skill) => command(skill.name, skill.description, skill.arguments.join(' '))),
    ...prompts.map((prompt) => {
      const hint = prompt.arguments.map(({ name, required }) => (required ? name : `[${name}]`)).join(' ')
      return command(promptCommand(prompt), prompt.description || (prompt.title ?? prompt.name), hint)
    }),
  ]
}

/** As one cell of a table. */
function cell(text: string): string {
  return oneLine(text).replaceAll('|', String.raw`\|`)
}

function command(name: string, description: string, hint = ''): AvailableCommand {
  return { name, description, ...(hint !== '' && { input: { hint } }) }
}

/**
 * Runs the command that a prompt starts with; returns the prompt for the agent, unchanged if it is not one of Trestle's
 * commands.
 */
export async function runSlashCommand(
  engine: ClientEngine,
  sessionId: string,
  parts: UserPart[],
  say: (text: string) => undefined,
): Promise<UserPart[] | undefined> {
  const [first, ...rest] = parts
  const match = first?.type === 'text' ? /^\s*\/([a-z][a-z-]*)(?:\s+([^]*))?$/.exec(first.text) : undefined
  const known = match && Object.hasOwn(COMMANDS, match[1]!) ? COMMANDS[match[1]!] : undefined
  if (!match || !known) return parts
  try {
    const left = await known.run(engine, sessionId, (match[2] ?? '').trim(), say)
    return left && [...left, ...rest]
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    // The command was typed in the conversation, so its error is shown there.
    return say(failureMessage(error.failure))
  }
}

async function restore(
  engine: ClientEngine,
  sessionId: string,
  request: RestoreRequest,
  say: (text: string) => undefined,
): Promise<undefined> {
  const { steps, kept, notCovered, messagesTaken, seq } = await engine.checkpoints.restore(sessionId, request)
  if (seq === undefined) return say('There was nothing to restore.')
  const messages =
    messagesTaken === undefined
      ? ''
      : ` ${messagesTaken} of your messages ${messagesTaken === 1 ? 'is' : 'are'} out of the conversation, ` +
        `though this editor may still show ${messagesTaken === 1 ? 'it' : 'them'}.`
  const lines = [
    ...steps.map(({ action, path }) => `- ${action} ${path}`),
    ...kept.map(({ path, why }) => `- left ${path}: ${why}`),
    ...notCovered.map((text) => `- ${text}`),
  ]
  return say(
    `Restored ${steps.length} ${steps.length === 1 ? 'path' : 'paths'}.${messages}\n\n${lines.join('\n')}`.trimEnd(),
  )
}
