import { PERMISSION_MODES, SESSION_MODES, type SessionMode } from '../../../shared/model/approval/approval'
import {
  confinementOf,
  MODE_NAMES,
  modeDescription,
  sandboxLabel,
  sandboxPermissions,
  unavailableText,
} from '../../../shared/configuration/sandbox-text'
import type { EffortChoice } from '../../../shared/model/turn/effort'
import { defaultEffortName, sessionEffort } from '../../../shared/configuration/session-model'
import { CodedError } from '../../../shared/errors'
import { nearest } from '../../../shared/nearest'
import { didYouMean } from '../../console/parse-command'
import type { Conversation } from './conversation'
import { displayWidth, truncateToWidth, oneLine } from './screen/text-layout'

export async function chooseModel(
  { engine, sessionId, header, printer, terminal }: Conversation,
  id: string,
): Promise<void> {
  const { models, defaultModel } = engine.settings.view()
  const now = header.model ?? defaultModel
  if (id === '') {
    for (const model of models) {
      const mark = model.id === now ? terminal.style.green('●') : ' '
      printer.line(
        `${mark} ` +
          `${oneLine(model.id)}${terminal.style.dim(model.label === model.id ? '' : `  ${oneLine(model.label)}`)}`,
      )
    }
    printer.note('/model ID uses one of them in this session.')
    return
  }
  if (!models.some((model) => model.id === id)) {
    const meant = nearest(
      id,
      models.map((model) => model.id),
    )
    throw new CodedError('request.invalid', `Unknown model ${id}.${didYouMean(meant)}`)
  }
  await engine.sessions.change(sessionId, { model: id })
  printer.note(`From now on: ${id}.`)
}

/** Maximum width of an agent's description in the list. */
const DESCRIPTION_COLUMNS = 100

/** Lists the agents, or selects one. */
export async function chooseAgent(
  { engine, sessionId, header, printer, terminal }: Conversation,
  asked: string,
): Promise<void> {
  if (asked === '') {
    const { agents, problems } = await engine.agents.list(header.folder)
    const rows = [
      { name: 'usual', description: 'Trestle itself, with every tool.' },
      ...agents.filter(({ hiddenBy }) => hiddenBy === undefined),
    ]
    const now = header.runsAs?.name ?? 'usual'
    for (const { name, description } of rows) {
      const mark = name === now ? terminal.style.green('●') : ' '
      printer.line(
        `${mark} ${oneLine(name)}  ${terminal.style.dim(truncateToWidth(oneLine(description), DESCRIPTION_COLUMNS))}`,
      )
    }
    for (const { path, line, message } of problems)
      printer.note(oneLine(`${path}${line === undefined ? '' : `:${line}`}: ${message}`))
    printer.note('/agent NAME works as one of them from the next message on.')
    return
  }
  const { runsAs } = await engine.sessions.change(sessionId, { agent: asked === 'usual' ? null : { name: asked } })
  printer.note(
    runsAs?.greeting ??
      `Starting with the next message: ${oneLine(runsAs?.title ?? runsAs?.name ?? 'the usual agent')}.`,
  )
}

/** Lists the reasoning efforts, or selects one. */
export async function chooseEffort({ engine, sessionId, header, printer }: Conversation, asked: string): Promise<void> {
  const settings = engine.settings.view()
  const effort = sessionEffort(settings, header)
  if (effort.offered.length === 0) {
    printer.note(`${header.model ?? settings.defaultModel ?? 'The model'} has no levels of thinking to choose from.`)
    return
  }
  const choices: readonly EffortChoice[] = ['default', ...effort.offered]
  if (asked === '') {
    const now = effort.chosen === undefined ? defaultEffortName(effort) : effort.chosen
    printer.note(`Thinking: ${now}. /effort accepts one of ${choices.join(', ')}.`)
    return
  }
  const choice = choices.find((known) => known === asked)
  if (choice === undefined)
    throw new CodedError('request.invalid', `This model has no level ${asked}.${didYouMean(nearest(asked, choices))}`)
  await engine.sessions.change(sessionId, { effort: choice })
  printer.note(
    choice === 'default' ? `Thinking: ${defaultEffortName(effort)}.` : `Thinking: ${choice}, from the next step on.`,
  )
}

export async function chooseMode({ engine, sessionId, header, printer }: Conversation, asked: string): Promise<void> {
  const meaning = (mode: SessionMode): string =>
    modeDescription(mode, confinementOf(header.sandbox, engine.settings.view().sandbox))
  if (asked === '') {
    const mode = header.plan?.active ? 'plan' : header.mode
    printer.note(`The mode is ${mode}: ${meaning(mode)} /mode accepts one of ${SESSION_MODES.join(', ')}.`)
    return
  }
  const mode = SESSION_MODES.find((known): known is SessionMode => known === asked)
  if (mode === undefined)
    throw new CodedError('request.invalid', `Unknown mode ${asked}.${didYouMean(nearest(asked, SESSION_MODES))}`)
  const permission = PERMISSION_MODES.find((known) => known === mode)
  if (permission === undefined) {
    await engine.plans.enter(sessionId)
    return
  }
  if (header.plan?.active) await engine.plans.leave(sessionId)
  await engine.sessions.change(sessionId, { mode: permission })
  printer.note(meaning(permission))
}

/** Folder, model, mode and sandbox of the session. */
export async function showStatus({ engine, header, printer }: Conversation): Promise<void> {
  const view = engine.settings.view()
  const { defaultModel, sandbox: settings } = view
  const effort = sessionEffort(view, header)
  const mode = header.plan?.active ? 'plan' : header.mode
  const rows = [
    ['Folder', header.folder],
    ['Agent', header.runsAs ? (header.runsAs.title ?? header.runsAs.name) : 'the usual one'],
    ['Model', header.model ?? defaultModel ?? 'none'],
    ...(effort.offered.length > 0 ? [['Thinking', effort.chosen ?? defaultEffortName(effort)]] : []),
    ['Mode', `${MODE_NAMES[mode]}. ${modeDescription(mode, confinementOf(header.sandbox, settings))}`],
    ['Sandbox', header.sandbox ? sandboxLabel(header.sandbox) : 'known once the first turn has started'],
    ...(header.sandbox ? sandboxPermissions(header.sandbox).map(({ title, text }) => [`  ${title}`, text]) : []),
  ]
  for (const [name = '', text = ''] of rows) printer.line(`${name.padEnd(16)}${oneLine(text)}`)
  if (header.sandbox?.unavailable) printer.note(unavailableText(header.sandbox.unavailable))
}

export async function togglePlan({ engine, sessionId, header }: Conversation): Promise<void> {
  await (header.plan?.active ? engine.plans.leave(sessionId) : engine.plans.enter(sessionId))
}

export async function showTasks({ engine, printer, terminal }: Conversation): Promise<void> {
  const tasks = (await engine.tasks.list({ activeOnly: true })).filter(({ background }) => background)
  for (const { taskId, command, description, lastLine } of tasks) {
    printer.line(truncateToWidth(`${taskId}  ${oneLine(description ?? command)}`, terminal.columns - 1))
    if (lastLine !== undefined) printer.note(truncateToWidth(`  │ ${oneLine(lastLine)}`, terminal.columns - 1))
  }
  printer.note(
    tasks.length === 0
      ? 'No background tasks are running.'
      : '/stop ID stops one; "trestle task output ID" shows what it printed.',
  )
}

export async function stopTask({ engine, printer }: Conversation, taskId: string): Promise<void> {
  if (taskId === '') throw new CodedError('request.invalid', 'Specify a task: /stop TASK. /tasks lists them.')
  const { status } = await engine.tasks.stop(taskId, 'Stopped by the user')
  printer.note(`${taskId} ${status.replace('_', ' ')}.`)
}

/** Lists every tool with the tokens its schema adds to each request. */
export async function showTools({ engine, sessionId, printer, terminal }: Conversation): Promise<void> {
  const { tools, cost } = await engine.sessions.tools(sessionId)
  const { style, columns } = terminal
  const signs = { active: style.green('●'), deferred: style.blue('◌'), off: style.dim('○') }
  const width = Math.min(40, Math.max(0, ...tools.map(({ name }) => displayWidth(oneLine(name)))))
  for (const { name, description, state, reason, tokens } of tools) {
    const shown = truncateToWidth(oneLine(name), width)
    const how = state === 'active' ? `${tokens} tokens` : state
    const left = `${shown}${' '.repeat(width - displayWidth(shown))}  ${how}`
    const what = oneLine(reason ?? description.split('\n')[0] ?? '')
    printer.line(`${signs[state]} ${truncateToWidth(`${left}  ${what}`, columns - 3)}`)
  }
  const active = tools.filter(({ state }) => state === 'active')
  const sum = active.reduce((total, { tokens }) => total + tokens, 0)
  printer.note(
    `${active.length} active, about ${sum} tokens of each request.` +
      (cost?.isSearching
        ? ' Tool search loads the others when they are needed: ' +
          `${cost.bytesSent} bytes of servers are sent instead of ${cost.bytesAll}.`
        : ''),
  )
}

/** Lists the MCP servers of this project. */
export async function showServers({ engine, header, printer, terminal }: Conversation): Promise<void> {
  const { servers, problems } = await engine.mcp.list(header.folder)
  for (const { name, state, transport, scope, tools, error } of servers) {
    const counted = tools.length === 1 ? '1 tool' : `${tools.length} tools`
    const what =
      `${oneLine(name)}  ${state.replace('_', ' ')}, ${transport}, ` +
      `${scope}${tools.length > 0 ? `, ${counted}` : ''}`
    printer.line(truncateToWidth(what, terminal.columns - 1))
    if (error) printer.note(`  ${error.message}`)
  }
  for (const { file, line, message } of problems)
    printer.note(`! ${file}${line === undefined ? '' : `:${line}`}: ${message}`)
  printer.note(
    servers.length === 0
      ? 'There are no MCP servers. "trestle mcp --help" says how to add one.'
      : '"trestle mcp" adds, tests and signs in to servers.',
  )
}

export async function showSkills({ engine, header, printer, terminal }: Conversation): Promise<void> {
  const { skills, problems } = await engine.skills.list(header.folder)
  const seen = skills.filter(({ hiddenBy }) => hiddenBy === undefined)
  for (const { name, description } of seen)
    printer.line(truncateToWidth(`/${oneLine(name)}  ${oneLine(description)}`, terminal.columns - 1))
  for (const { path, message } of problems) printer.note(`! ${path}: ${message}`)
  if (seen.length === 0) printer.note('There are no skills. docs/skills.md says where they are looked for.')
}

export async function showContext({ engine, sessionId, printer }: Conversation): Promise<void> {
  const { used, window, limit, parts, compactable } = await engine.sessions.context(sessionId)
  printer.line(`About ${used} of ${window} tokens (${Math.round((100 * used) / window)}%); compacted from ${limit} on.`)
  const rows = Object.entries(parts).filter(([, tokens]) => tokens > 0)
  printer.note(rows.map(([kind, tokens]) => `${kind} ${tokens}`).join(', '))
  if (compactable) printer.note('Free up context now with /compact.')
}
