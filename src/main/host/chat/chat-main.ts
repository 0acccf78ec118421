import { realpath } from 'node:fs/promises'
import { createEngine } from '../../engine/engine'
import { realpathSync } from 'node:fs'
import { failureOf } from '../../../shared/errors'
import { resolveHome } from '../../engine/config/home'
import { ownEngine, type ClientEngine } from '../../role/joined/client-engine'
import type { Parsed } from '../../console/parse-command'
import { reportBackground, reportStart } from '../../console/report'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { readServerFiles } from '../../console/mcp-config-file'
import { ChatLoop } from './chat-loop'
import { Conversation } from './conversation'
import { KeyTerminal } from './screen/key-terminal'
import { LineTerminal } from './screen/line-terminal'
import { oneLine } from './screen/text-layout'
import { editorOutput } from '../../console/output'
import { usesColor, type Terminal } from './screen/terminal'
import { latestSession } from '../../console/project-sessions'
import { currentFolder, folderOption, sessionOptions, type SessionOptions } from '../../console/session-options'
import type { SessionHeader } from '../../../shared/model/session/session'

/**
 * `trestle chat`: a conversation in a terminal (docs/chat.md). Returns the exit code: 0, or 1 when no user is at the
 * terminal and the last message got no answer.
 */
export async function chatMain(parsed: Parsed, version: string): Promise<number> {
  const options = chatOptions(parsed)
  const servers = await readServerFiles('chat', parsed.values['mcp-config-file'])
  if (!servers) return 2
  const { stdin, stdout, env } = process
  const isTerminal = stdin.isTTY && stdout.isTTY
  // Without a user, requests cannot be answered, and servers from the command line exist in one process only.
  const joined = isTerminal && Object.keys(servers).length === 0 ? await runningEngine(version) : undefined
  const own = joined
    ? undefined
    : await createEngine({ version, interactive: isTerminal, hasInbox: false, taskHost: taskHostProgram() })
  const engine = joined ?? ownEngine(own!)
  let terminal: Terminal | undefined
  let hasFailed = false
  try {
    reportStart(engine)
    const chosen = await chooseSession(engine, options)
    let { sessionId } = chosen
    const isNew = options.sessionId === undefined && !options.continueLatest
    // The terminal writes style codes, and makes all other text safe.
    const out = editorOutput(stdout)
    terminal =
      isTerminal && env['TERM'] !== 'dumb'
        ? new KeyTerminal(stdin, out, usesColor(env, true))
        : new LineTerminal(stdin, out, isTerminal)
    const conversation = new Conversation(engine, terminal)
    conversation.switchTo(sessionId)
    // A session chosen later starts without them, as if it had been started separately.
    if (Object.keys(servers).length > 0) own?.mcp.useInSession(sessionId, servers)
    await welcome(conversation)
    if (chosen.turns > 0) await conversation.showLastMessages()
    const loop = new ChatLoop(conversation)
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => loop.leave())
    stdout.on('error', () => loop.leave())
    await loop.run(options.prompt)
    sessionId = conversation.sessionId
    hasFailed = conversation.hasFailed
    conversation.close()
    terminal.close()
    const isUnused = isNew && sessionId === chosen.sessionId && (await removeUnused(engine, sessionId))
    if (!isUnused) await farewell(engine, sessionId, isTerminal)
  } finally {
    terminal?.close()
    await engine.close()
  }
  return hasFailed && !isTerminal ? 1 : 0
}

/** The engine of the home, if this chat can use it. */
async function runningEngine(version: string): Promise<ClientEngine | undefined> {
  try {
    const { joinAsClient } = await import('../../role/joined/joined-client')
    return await joinAsClient('chat', { home: realpathSync(resolveHome()), version }, say)
  } catch (error) {
    say(`this chat runs in a process of its own: ${failureOf(error).message}`)
    return undefined
  }
}

function say(message: string): void {
  process.stderr.write(`trestle: ${oneLine(message)}\n`)
}

async function welcome({ engine, header, printer, terminal }: Conversation): Promise<void> {
  const { style } = terminal
  const model = header.model ?? engine.settings.view().defaultModel
  printer.line(`${style.bold('Trestle')} ${style.dim(`in ${oneLine(header.folder)}`)}`)
  printer.note(
    model === undefined
      ? 'No model selected yet: /model lists those there are, trestle provider add NAME connects others.'
      : `Model ${model}. /help lists the commands.`,
  )
  if (header.runsAs)
    printer.note(
      header.turns === 0 && header.runsAs.greeting
        ? header.runsAs.greeting
        : `Agent: ${oneLine(header.runsAs.title ?? header.runsAs.name)}.`,
    )
  if (!terminal.isInteractive)
    printer.note('Not a terminal, so you cannot be asked. Whatever needs approval is denied.')
  const { state } = await engine.trust.view(await realpath(header.folder))
  if (state !== 'nothing' && state !== 'trusted')
    printer.note(
      'This project has its own settings (rules, hooks, MCP servers). They are off until you trust them: ' +
        'review them with "trestle permission show", then run "trestle permission trust".',
    )
}

/** Removes a session without messages: `--continue` would treat it as the latest conversation. */
async function removeUnused({ sessions }: ClientEngine, sessionId: string): Promise<boolean> {
  const { turns, turnId, queue } = sessions.header(sessionId)
  if (turns > 0 || turnId !== undefined || queue.length > 0) return false
  await sessions.remove(sessionId)
  return true
}

async function farewell(engine: ClientEngine, sessionId: string, isTerminal: boolean): Promise<void> {
  if (isTerminal) process.stdout.write(`Continue later with: trestle chat --session ${sessionId}\n`)
  const running = await engine.tasks.list({ activeOnly: true })
  reportBackground(
    engine,
    running.filter((task) => task.sessionId === sessionId && task.background && !task.agent),
  )
}

interface ChatOptions extends SessionOptions {
  cwd: string
  prompt?: string
}

/** The options of `trestle chat`, checked; throws a `UsageError`. */
export function chatOptions(parsed: Parsed): ChatOptions {
  const { cwd } = parsed.values
  const prompt = parsed.positionals[0]
  return {
    cwd: folderOption('--cwd', typeof cwd === 'string' ? cwd : currentFolder(), 'chat'),
    ...sessionOptions(parsed, 'chat'),
    ...(prompt !== undefined && prompt.trim() !== '' && { prompt }),
  }
}

/** Opens a new or the requested session, with the requested model, mode and folders. */
export async function chooseSession(engine: ClientEngine, options: ChatOptions): Promise<SessionHeader> {
  const { sessions } = engine
  const { cwd, noProject, addDirs, model, effort, agent, worktree } = options
  const mode = options.mode === 'plan' ? undefined : options.mode
  let { sessionId } = options
  if (options.continueLatest) sessionId = await latestSession(sessions, cwd)
  let header =
    sessionId === undefined
      ? await sessions.create({
          ...(!noProject && { folder: cwd }),
          addedFolders: addDirs,
          ...(worktree && { worktree }),
          ...(model !== undefined && { model }),
          ...(effort !== undefined && { effort }),
          ...(mode && { mode }),
          ...(agent && { agent }),
        })
      : (await sessions.open(sessionId, 1)).header
  if (sessionId !== undefined) {
    const addedFolders = [
      ...new Set([...header.addedFolders, ...(await Promise.all(addDirs.map((dir) => realpath(dir))))]),
    ]
    const change = {
      ...(model !== undefined && model !== header.model && { model }),
      ...(effort !== undefined && effort !== header.effort && { effort }),
      ...(mode && mode !== header.mode && { mode }),
      ...(agent && { agent }),
      ...(addedFolders.length > header.addedFolders.length && { addedFolders }),
    }
    if (Object.keys(change).length > 0) header = await sessions.change(sessionId, change)
  }
  // Plan mode is separate from the permission modes: choosing one of those ends it.
  if (options.mode === 'plan') return engine.plans.enter(header.sessionId)
  return options.mode && header.plan?.active ? engine.plans.leave(header.sessionId) : header
}
