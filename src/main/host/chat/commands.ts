import { plural } from '../../../shared/language/plural'
import { didYouMean } from '../../console/parse-command'
import { projectSessions } from '../../console/project-sessions'
import { nearest } from '../../../shared/nearest'
import type { Conversation } from './conversation'
import {
  chooseAgent,
  chooseEffort,
  chooseMode,
  chooseModel,
  showContext,
  showServers,
  showSkills,
  showStatus,
  showTasks,
  showTools,
  stopTask,
  togglePlan,
} from './setting-commands'
import { wrapText, truncateToWidth, oneLine, safeText } from './screen/text-layout'
import { commandName, promptCommand } from '../../../shared/configuration/customize/mcp-content'
import { CodedError } from '../../../shared/errors'
import type { RestorePreview } from '../../../shared/model/session/checkpoint'
import type { SessionSummary } from '../../../shared/model/session/session'
import type { RestoreRequest } from '../../engine/checkpoint/restore-session'

/** Every command of `trestle chat`, in the order of the help. */
const COMMANDS: readonly ChatCommand[] = [
  { name: 'help', help: 'This list.', run: async (conversation) => help(conversation) },
  { name: 'new', help: 'A new session in the same folder.', run: newSession },
  { name: 'sessions', help: 'The sessions of this folder, numbered.', run: listSessions },
  {
    name: 'resume',
    argument: 'N | ID',
    help: 'Continue a session of that list; without a number, the latest other one.',
    run: openSession,
  },
  { name: 'model', argument: 'ID', help: 'List the models, or use this one from now on.', run: chooseModel },
  {
    name: 'effort',
    argument: 'LEVEL',
    help: 'List the reasoning efforts, or use this one from now on.',
    run: chooseEffort,
  },
  {
    name: 'agent',
    argument: 'NAME',
    help: 'List the agents, or use this one from now on (usual: Trestle itself).',
    run: chooseAgent,
  },
  {
    name: 'mode',
    argument: 'ask | accept-edits | auto | plan',
    help: 'The permission mode: how much the agent does without asking.',
    run: chooseMode,
  },
  { name: 'status', help: 'Folder, model, mode and sandbox of this session.', run: showStatus },
  { name: 'plan', help: 'Plan mode on, or off.', run: togglePlan },
  { name: 'compact', argument: 'what to keep', help: 'Summarize the conversation to free up context.', run: compact },
  {
    name: 'undo',
    argument: 'N',
    help: 'Undo everything since your last message, or since message N: files, conversation, or both.',
    run: restore,
  },
  { name: 'redo', help: 'Redo the last /undo.', run: undoRestore },
  { name: 'tasks', help: 'Background tasks.', run: showTasks },
  { name: 'stop', argument: 'TASK', help: 'Stop a background task.', run: stopTask },
  { name: 'tools', help: 'The tools of the agent, and what they cost.', run: showTools },
  { name: 'mcp', help: 'The MCP servers of this project.', run: showServers },
  { name: 'skills', help: 'Skills: /name uses one.', run: showSkills },
  { name: 'context', help: 'How full the context window is.', run: showContext },
  { name: 'quit', help: 'Quit. Ctrl-D does the same.', run: async () => 'quit' },
]

/** Runs a line that is a command. */
export async function runCommand(conversation: Conversation, line: string): Promise<CommandResult> {
  const match = /^\/(skills?:)?([\w-]+(?::[\w-]+)?)(?:\s+([\s\S]*))?$/.exec(line)
  if (!match) return 'message'
  const [, asSkill, name = '', argument = ''] = match
  const command =
    asSkill === undefined &&
    COMMANDS.find((known) => known.name === (name === 'exit' ? 'quit' : name === 'restore' ? 'undo' : name))
  if (command) return (await command.run(conversation, argument.trim())) ?? 'done'
  const { skills } = await conversation.engine.skills.list(conversation.header.folder)
  // The engine inserts the skill's instructions.
  if (skills.some((skill) => skill.name === name)) return 'message'
  if (asSkill !== undefined) {
    const names = skills.map((skill) => `/skills:${skill.name}`)
    conversation.printer.line(
      `No skill is named ${name}.${didYouMean(nearest(`/skills:${name}`, names))} /skills lists them.`,
    )
    return 'done'
  }
  const names = [...COMMANDS, ...skills].map((known) => `/${known.name}`)
  conversation.printer.line(`Unknown command /${name}.${didYouMean(nearest(name, names))} /help lists them.`)
  return 'done'
}

function help({ printer, terminal }: Conversation): void {
  const rows = COMMANDS.map(
    ({ name, argument, help: text }) => [`/${name}${argument === undefined ? '' : ` ${argument}`}`, text] as const,
  )
  const isNarrow = terminal.columns < 70
  const indent = isNarrow ? 4 : 20
  for (const [left, text] of rows) {
    const gap = isNarrow || left.length > indent - 2 ? `\n${' '.repeat(indent)}` : ' '.repeat(indent - left.length)
    printer.line(
      `${terminal.style.bold(left)}${gap}${wrapText(text, terminal.columns - indent).join(`\n${' '.repeat(indent)}`)}`,
    )
  }
  printer.note(
    'Anything else goes to the agent. Alt-Enter, Ctrl-J or a \\ at the end starts a new line; Tab completes ' +
      '/commands and @files. While the agent works, Ctrl-C stops it, and messages you type are queued.',
  )
}

async function compact({ engine, sessionId, printer }: Conversation, instruction: string): Promise<void> {
  const compacted = await engine.sessions.compact(sessionId, instruction === '' ? undefined : instruction)
  if (!compacted) printer.note('Nothing was compacted.')
}

/**
 * The outcome of a line: it was a command and is done, the chat ends, it goes to the agent, or text is put back for
 * editing.
 */
export type CommandResult = 'done' | 'quit' | 'message' | { draft: string }

/** A slash command. */
interface ChatCommand {
  name: string
  /** Placeholder of its argument. */
  argument?: string
  help: string
  run(conversation: Conversation, argument: string): Promise<CommandResult | void>
}

/** Completions of the Tab key: commands, skills and prompts after `/`, files and resources after `@`. */
export async function completions(
  { engine, sessionId, header }: Conversation,
  typed: string,
): Promise<[string[], string]> {
  if (/^\/[^\s/]*$/.test(typed)) {
    const [{ skills }, prompts] = await Promise.all([
      engine.skills.list(header.folder),
      engine.mcpContent.prompts(sessionId).catch(() => []),
    ])
    const names = [
      ...COMMANDS.map(({ name }) => name),
      ...skills.filter(({ hiddenBy }) => hiddenBy === undefined).map(({ name }) => name),
      ...prompts.map(promptCommand),
    ]
    return [[...new Set(names)].map((name) => `/${name} `).filter((name) => name.startsWith(typed)), typed]
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(typed)?.[1]
  if (mention === undefined) return [[], typed]
  const [files, resources] = await Promise.all([
    engine.sessions.completeFile(sessionId, mention, 20),
    engine.mcpContent.resources(sessionId, mention, 20).catch(() => []),
  ])
  const fits = [
    ...files.map(({ path, isFolder }) => `@${path}${isFolder ? '/' : ' '}`),
    ...resources.map(({ server, uri, isOpen }) => `@${commandName(server)}:${uri}${isOpen ? '' : ' '}`),
  ]
  return [fits, `@${mention}`]
}

/** Maximum paths listed by name. */
const MAX_NAMED = 20

/** Restores to before a message, after showing the effect. */
async function restore(conversation: Conversation, argument: string): Promise<CommandResult> {
  const { engine, sessionId, printer, terminal } = conversation
  const points = await engine.checkpoints.points(sessionId)
  if (argument !== '' && !/^[1-9]\d*$/.test(argument))
    throw new CodedError('request.invalid', 'Enter the number of a message, for example /undo 2.')
  const point = argument === '' ? points.at(-1) : points[Number(argument) - 1]
  if (!point)
    throw new CodedError(
      'request.invalid',
      points.length === 0
        ? 'Nothing was said yet.'
        : `There ${plural(points.length, 'is', 'are')} ${points.length} ${plural(points.length, 'message')}.`,
    )
  const to = point.seq - 1
  const preview = await engine.checkpoints.preview(sessionId, { to, files: true, conversation: true })
  printer.line(truncateToWidth(`Back to before message ${point.n}: ${oneLine(point.text)}`, terminal.columns - 1))
  printPreview(conversation, preview)
  const options = ['Files and conversation', 'Only the conversation', 'Only the files', 'Leave everything as it is']
  for (const [index, option] of options.entries()) printer.line(`  ${terminal.style.amber(`${index + 1}`)}  ${option}`)
  const key = await terminal.readKey({ keys: '1234', prompt: `${terminal.style.amber('Take back?')} ` })
  if (key === undefined || key === '4') {
    printer.note('Nothing was changed.')
    return 'done'
  }
  await runRestore(conversation, { to, files: key !== '2', conversation: key !== '3' })
  // The removed message can be edited and sent again.
  return key === '3' ? 'done' : { draft: point.text }
}

/** Undoes the latest restore. */
async function undoRestore(conversation: Conversation): Promise<void> {
  const { engine, sessionId } = conversation
  const latest = await engine.checkpoints.latestRestore(sessionId)
  if (!latest) throw new CodedError('request.invalid', 'There is nothing to redo in this session.')
  await runRestore(conversation, {
    to: latest.seq - 1,
    files: latest.count > 0,
    conversation: latest.conversation !== undefined,
  })
}

async function runRestore(conversation: Conversation, request: RestoreRequest): Promise<void> {
  const { engine, sessionId, printer } = conversation
  const result = await engine.checkpoints.restore(sessionId, request)
  if (result.seq === undefined) return printer.note('There was nothing to change.')
  printPreview(conversation, result)
  printer.note('Done. /redo reverses it.')
}

const ACTION_SYMBOLS = { create: '+', change: '~', delete: '-' }

function printPreview({ printer }: Conversation, { steps, kept, notCovered, messagesTaken }: RestorePreview): void {
  for (const { action, path } of steps.slice(0, MAX_NAMED))
    printer.line(`  ${ACTION_SYMBOLS[action]} ${safeText(path)}`)
  if (steps.length > MAX_NAMED) printer.note(`  … ${steps.length - MAX_NAMED} more`)
  for (const { path, why } of kept) printer.line(`  ! ${safeText(path)}: ${safeText(why)}`)
  for (const text of notCovered) printer.note(`  ? ${text}`)
  if (messagesTaken !== undefined && messagesTaken > 0)
    printer.note(`  ${messagesTaken} of your messages ${messagesTaken === 1 ? 'leaves' : 'leave'} the conversation.`)
}

const MAX_LISTED = 20

async function newSession(conversation: Conversation): Promise<void> {
  const { engine, header, printer } = conversation
  const { sessionId } = await engine.sessions.create({
    folder: header.folder,
    mode: header.mode,
    addedFolders: header.addedFolders,
    ...(header.model !== undefined && { model: header.model }),
  })
  conversation.switchTo(sessionId)
  printer.note('A new session. The old one is kept: /sessions lists them.')
}

async function listSessions(conversation: Conversation): Promise<void> {
  const { printer, terminal } = conversation
  const list = await sessionsOf(conversation)
  for (const [index, { sessionId, title, status, elsewhere, worktree }] of list.entries()) {
    const mark =
      sessionId === conversation.sessionId ? ' (this one)' : elsewhere === undefined ? '' : ' (open elsewhere)'
    const left = `${String(index + 1).padStart(3)}  `
    const place = worktree ? ` · worktree ${oneLine(worktree.branch ?? worktree.worktreeId)}` : ''
    printer.line(truncateToWidth(`${left}${oneLine(title)} · ${status}${place}${mark}`, terminal.columns - 1))
  }
  printer.note('/resume N continues one of them.')
}

async function openSession(conversation: Conversation, argument: string): Promise<void> {
  const { engine } = conversation
  const list = await sessionsOf(conversation)
  const wanted =
    argument === ''
      ? list.find(({ sessionId }) => sessionId !== conversation.sessionId)?.sessionId
      : /^\d{1,3}$/.test(argument)
        ? list[Number(argument) - 1]?.sessionId
        : argument
  if (wanted === undefined)
    throw new CodedError(
      'session.not_found',
      argument === '' ? 'There is no other session of this project.' : `/sessions lists no session ${argument}.`,
    )
  await engine.sessions.open(wanted, 1)
  conversation.switchTo(wanted)
  await conversation.showLastMessages()
}

async function sessionsOf({ engine, header }: Conversation): Promise<SessionSummary[]> {
  return (await projectSessions(engine.sessions, header.folder)).slice(0, MAX_LISTED)
}
