import { openModelPicker } from '../../features/models/session-model-pill'
import { SESSION_MODES } from '../../../shared/model/approval/approval'
import { EXPORT_FORMATS, type ExportFormat } from '../../../shared/model/session/conversation'
import { MODE_NAMES } from '../../../shared/configuration/sandbox-text'
import type { SettingsView } from '../../../shared/configuration/settings'
import type { SessionView } from '../../../shared/events/session-view'
import type { TrestleClient } from '../../../shared/contract'
import type { SlashCommand } from '../../features/composer/completion'
import { openFind, showInspectorTab, useLayout } from '../../state/page/layout-state'
import { changeMode, undoLastMessage, type SessionActions } from '../../state/session/session-actions'
import { askAboutSession } from '../../state/session/session-dialog-state'
import { showFailureToast, showToast } from '../../state/page/toasts-state'

interface CommandContext {
  client: TrestleClient
  actions: SessionActions
  sessionId: string
  folder: string | undefined
  /** What the page currently knows about the session. */
  view(): SessionView | undefined
  settings(): SettingsView | undefined
  openTools: () => void
}

const INIT_PROMPT = `Write AGENTS.md in the project folder: a short guide for agents that work here. If it exists, improve it.

Read the manifest, the README, the configuration and some of the code first. Then state what the project is, how to build, test and run it (the exact commands), where things are, and conventions that are not obvious from the code. Leave out what any agent would guess, and secrets.`

/** The commands of the app for `/` in a session. */
export function slashCommands(context: CommandContext): SlashCommand[] {
  const { client, actions, sessionId, folder, view, openTools } = context
  const layout = useLayout.getState
  const begin: SlashCommand[] =
    folder === undefined
      ? []
      : [
          { name: 'new', description: 'Start another session in this project', run: () => actions.begin(folder) },
          {
            name: 'clear',
            description: 'Start over: an empty session in this project. This one stays in the list.',
            run: () => actions.begin(folder),
          },
          {
            name: 'init',
            description: 'Have the agent write AGENTS.md, a guide to this project for agents',
            send: () => client.session.prompt({ sessionId, parts: [{ type: 'text', text: INIT_PROMPT }] }),
          },
        ]
  return [
    ...begin,
    {
      name: 'stop',
      description: 'Stop the running turn',
      run: () => void client.session.stop({ sessionId }).catch(showFailureToast),
    },
    {
      name: 'compact',
      description: 'Summarize the conversation to free up context. Add what to keep.',
      send: (argument) => client.session.compact({ sessionId, ...(argument !== '' && { instruction: argument }) }),
    },
    {
      name: 'model',
      description: 'Switch the model. Add part of its name, or choose from a list.',
      send: (name) => switchModel(context, name),
    },
    { name: 'undo', description: 'Restore to before your last message', run: () => undoLastMessage(client, sessionId) },
    { name: 'fork', description: 'Continue in a copy of this session', run: () => actions.fork(sessionId) },
    {
      name: 'rename',
      description: 'Rename this session. Add the new title.',
      send: async (title) => {
        if (title === '') askAboutSession({ kind: 'rename', sessionId })
        else await client.session.change({ sessionId, title: title.slice(0, 200) })
      },
    },
    {
      name: 'export',
      description: 'Save the conversation: add markdown (default), html or json',
      send: (argument) => exportAs(context, argument),
    },
    { name: 'find', description: 'Find in this session', run: () => openFind(sessionId) },
    { name: 'context', description: 'Show what is using the context window', run: () => showInspectorTab('context') },
    { name: 'cost', description: 'Show the tokens and cost of this session', run: () => showInspectorTab('context') },
    { name: 'mcp', description: 'Show the MCP servers of this session', run: () => showInspectorTab('mcp') },
    ...SESSION_MODES.map((mode) => ({
      name: mode,
      description: `${mode === 'plan' ? 'Plan mode' : 'Permission mode'}: ${MODE_NAMES[mode]}`,
      run: () => {
        const header = view()?.header
        if (header) changeMode(client, header, mode)
      },
    })),
    { name: 'tools', description: 'Show all tools and their token cost', run: openTools },
    { name: 'tasks', description: 'All tasks', run: () => layout().openTasks() },
    { name: 'inbox', description: 'Pending requests', run: () => layout().openInbox() },
    { name: 'settings', description: 'Providers, models, skills', run: () => layout().openSettings() },
    { name: 'help', description: 'Keyboard shortcuts and commands', run: () => layout().setShortcutsOpen(true) },
  ]
}

/** Chooses the model whose name contains the text; requests a longer name if several match. */
async function switchModel({ client, sessionId, settings }: CommandContext, name: string): Promise<void> {
  if (name === '') return openModelPicker(sessionId)
  const models = settings()?.models ?? []
  const wanted = name.toLowerCase()
  const named = models.filter(({ id, label }) => `${id} ${label}`.toLowerCase().includes(wanted))
  const exact = models.find(({ id, label }) => id.toLowerCase() === wanted || label.toLowerCase() === wanted)
  const chosen = exact ?? (named.length === 1 ? named[0] : undefined)
  if (!chosen) {
    const list = (named.length > 0 ? named : models).slice(0, 6).map(({ label }) => label)
    throw new Error(`${named.length > 1 ? 'Several models match' : 'No matching models'}: ${list.join(', ')}.`)
  }
  await client.session.change({ sessionId, model: chosen.id })
  showToast(`${chosen.label} from the next step on`)
}

async function exportAs({ actions, sessionId }: CommandContext, argument: string): Promise<void> {
  const format: ExportFormat | undefined =
    argument === '' || argument === 'md' ? 'markdown' : EXPORT_FORMATS.find((one) => one === argument.toLowerCase())
  if (format === undefined) throw new Error(`Export formats: ${EXPORT_FORMATS.join(', ')}.`)
  actions.export(sessionId, format)
}
