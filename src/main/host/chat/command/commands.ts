import { didYouMean } from '../../../command-line/parse'
import { nearest } from '../../../../shared/nearest'
import type { ChatCommand, CommandEnd } from './chat-command'
import type { Conversation } from '../conversation'
import { openSession, newSession, listSessions } from './session-commands'
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
import { wrapText } from '../screen/wrap-words'
import { restore, takeBackRestore } from './restore-commands'

/** Every command of `trestle chat`, in the order of the help. */
export const COMMANDS: readonly ChatCommand[] = [
  { name: 'help', help: 'This list.', run: async (conversation) => help(conversation) },
  { name: 'new', help: 'A new session in the same folder.', run: newSession },
  { name: 'sessions', help: 'The sessions of this folder, numbered.', run: listSessions },
  {
    name: 'resume',
    argument: 'N | ID',
    help: 'Go on with a session of that list; without a number, with the latest other one.',
    run: openSession,
  },
  { name: 'model', argument: 'ID', help: 'The models; or use this one from now on.', run: chooseModel },
  {
    name: 'effort',
    argument: 'LEVEL',
    help: 'How hard the model thinks: the levels there are; or use this one from now on.',
    run: chooseEffort,
  },
  { name: 'agent', argument: 'NAME', help: 'The agents; or work as this one from now on (usual: as Trestle itself).', run: chooseAgent },
  {
    name: 'mode',
    argument: 'ask | accept-edits | auto | plan',
    help: 'The permission mode: how much the agent does without asking.',
    run: chooseMode,
  },
  { name: 'status', help: 'Folder, model, mode and sandbox of this session.', run: showStatus },
  { name: 'plan', help: 'Plan mode on, or off.', run: togglePlan },
  { name: 'compact', argument: 'what to keep', help: 'Have the conversation summarised to make room.', run: compact },
  {
    name: 'undo',
    argument: 'N',
    help: 'Go back to before your last message, or before message N: files, conversation, or both.',
    run: restore,
  },
  { name: 'redo', help: 'Take the last /undo back.', run: takeBackRestore },
  { name: 'tasks', help: 'What runs in the background.', run: showTasks },
  { name: 'stop', argument: 'TASK', help: 'Stop a background task.', run: stopTask },
  { name: 'tools', help: 'The tools of the agent, and what they cost.', run: showTools },
  { name: 'mcp', help: 'The MCP servers of this project.', run: showServers },
  { name: 'skills', help: 'Skills: /name uses one.', run: showSkills },
  { name: 'context', help: 'How full the window of the model is.', run: showContext },
  { name: 'quit', help: 'Leave. Ctrl-D does it, too.', run: async () => 'quit' },
]

/** Runs a line that is a command. */
export async function runCommand(conversation: Conversation, line: string): Promise<CommandEnd> {
  const match = /^\/(skills?:)?([\w-]+)(?:\s+([\s\S]*))?$/.exec(line)
  if (!match) return 'message'
  const [, asSkill, name = '', argument = ''] = match
  const command =
    asSkill === undefined && COMMANDS.find((known) => known.name === (name === 'exit' ? 'quit' : name === 'restore' ? 'undo' : name))
  if (command) return (await command.run(conversation, argument.trim())) ?? 'done'
  const { skills } = await conversation.engine.skills.list(conversation.header.folder)
  // The engine puts the instructions of the skill in.
  if (skills.some((skill) => skill.name === name)) return 'message'
  if (asSkill !== undefined) {
    const names = skills.map((skill) => `/skills:${skill.name}`)
    conversation.printer.line(`There is no skill ${name}.${didYouMean(nearest(`/skills:${name}`, names))} /skills lists them.`)
    return 'done'
  }
  const names = [...COMMANDS, ...skills].map((known) => `/${known.name}`)
  conversation.printer.line(`There is no command /${name}.${didYouMean(nearest(name, names))} /help lists them.`)
  return 'done'
}

function help({ printer, terminal }: Conversation): void {
  const rows = COMMANDS.map(({ name, argument, help: text }) => [`/${name}${argument === undefined ? '' : ` ${argument}`}`, text] as const)
  const isNarrow = terminal.columns < 70
  const indent = isNarrow ? 4 : 20
  for (const [left, text] of rows) {
    const gap = isNarrow || left.length > indent - 2 ? `\n${' '.repeat(indent)}` : ' '.repeat(indent - left.length)
    printer.line(`${terminal.style.bold(left)}${gap}${wrapText(text, terminal.columns - indent).join(`\n${' '.repeat(indent)}`)}`)
  }
  printer.note(
    'Anything else is said to the agent. Alt-Enter, Ctrl-J or a \\ at the end goes on in a new line; Tab completes /commands and @files. While the agent works, Ctrl-C stops it, and what you type waits for its turn.',
  )
}

async function compact({ engine, sessionId, printer }: Conversation, instruction: string): Promise<void> {
  const compacted = await engine.sessions.compact(sessionId, instruction === '' ? undefined : instruction)
  if (!compacted) printer.note('Nothing was compacted.')
}
