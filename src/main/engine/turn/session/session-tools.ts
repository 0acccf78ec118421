import type { ModelInfo } from '../../model/provider'
import type { SessionPlan } from '../../plan/session-plan'
import { applyPatchTool } from '../../tool/files/apply-patch'
import { askUserQuestionTool } from '../../tool/plan/ask-user-question'
import { agentTool } from '../../tool/agent/agent'
import { bashTool } from '../../tool/shell/bash'
import { createSubagentTool } from '../../tool/agent/create-subagent'
import { editTool } from '../../tool/files/edit'
import { enterPlanModeTool } from '../../tool/plan/enter-plan-mode'
import { exitPlanModeTool } from '../../tool/plan/exit-plan-mode'
import { fetchUrlTool } from '../../tool/web/fetch-url'
import { globTool } from '../../tool/files/glob'
import { grepTool } from '../../tool/files/grep'
import { listDirectoryTool } from '../../tool/files/list-directory'
import { patchTool } from '../../tool/files/patch'
import { sendDMailTool } from '../../tool/agent/send-d-mail'
import { readTool } from '../../tool/files/read'
import { readMediaFileTool } from '../../tool/files/read-media-file'
import { skillTool } from '../../tool/agent/skill'
import { taskListTool } from '../../tool/shell/task-list'
import { taskOutputTool } from '../../tool/shell/task-output'
import { taskStopTool } from '../../tool/shell/task-stop'
import { todoListTool } from '../../tool/plan/todo-list'
import { webSearchTool } from '../../tool/web/web-search'
import { writeTool } from '../../tool/files/write'
import { callTool } from '../../tool/call-tool'
import { createRegistry, type Registry } from '../../tool/registry'
import type { TerminalTasks } from '../../task/task-supervisor'
import type { SessionAgents, SessionCheckpoints, SessionTasks, TerminalScreens } from '../../tool/session-services'
import type { SessionSandbox } from '../../tool/bash-sandbox'
import type { Skills } from '../../skill/skills'
import { EDIT_TOOLS, editToolsOf } from '../../tool/edit/edit-tools'
import { nothingHidden, type Tool } from '../../tool/tool'
import type { WebAccess } from '../../web/web-access'
import type { WriteHooks } from '../../tool/edit/write-changes'
import { createWorkspace, createReadState, type Workspace } from '../../workspace/workspace'
import type { SessionClientCapabilities } from './client-capabilities'
import type { Session } from '../../session/session'

export interface SessionTools {
  workspaceOf(session: Session): Workspace
  /**
   * The tools that a turn offers: without disabled ones, with the edit tools that the model knows, and ReadMediaFile
   * for the media that it accepts.
   */
  toolsOf(session: Session, model: ModelInfo, disabled: readonly string[], offers?: (tool: Tool) => boolean): Registry
  /** Forgets which files were read, because the conversation was replaced. */
  forgetReads(session: Session): void
  /** All tools, offered or not. */
  allTools(session: Session): readonly Tool[]
}

/** The kinds of media that models accept; models that accept none are not offered ReadMediaFile. */
const MEDIA = [
  { key: 'images', images: true, video: false },
  { key: 'images and video', images: true, video: true },
  { key: 'video', images: false, video: true },
] as const

interface Kit {
  workspace: Workspace
  /** The folders that the tools were created for. */
  folders: string
  tools: readonly Tool[]
  /** ReadMediaFile for each kind of model. */
  media: readonly { key: string; tool: Tool }[]
  registries: Map<string, Registry>
}

export interface SessionToolsDeps {
  /** Where its commands run: in the terminals of its client or in ours. Looked up at every use. */
  commandsOf(session: Session): Pick<TerminalTasks, 'run'>
  tasksOf(session: Session): SessionTasks
  sandboxOf?(session: Session): SessionSandbox
  webOf(session: Session): WebAccess
  planOf(session: Session): SessionPlan
  /** The user's terminals that the agent may watch; absent: no terminals. */
  terminalsOf?(session: Session): TerminalScreens
  /** `allTools`: all tools of the session, including this one. */
  agentsOf(session: Session, allTools: () => readonly Tool[]): SessionAgents
  checkpointsOf(session: Session): SessionCheckpoints
  /** The header whose folders apply: for a subagent, that of the user's session it belongs to. */
  effectiveHeader(session: Session): Session['header']
  skills: Pick<Skills, 'list' | 'body'>
  /** Tools of the features (memory, schedules, mail, …), offered or not; absent: no such tools. */
  featureTools?(session: Session, workspace: Workspace): readonly Tool[]
  files?: SessionFileRules
}

/** What the file tools of a session take into account in addition to its folders. */
export interface SessionFileRules {
  /** Files as they are in the session's editor. Looked up at every use. */
  editorOf?(session: Session): SessionClientCapabilities['files']
  /** Hooks for the writes of the running turn. */
  writeHooksOf?(session: Session): WriteHooks | undefined
  /** Paths that tools leave out when they list or search. */
  hiddenFrom?(
    session: Session,
    tool: 'Grep' | 'Glob' | 'ListDirectory',
    workspace: Workspace,
  ): Promise<(path: string) => boolean>
}

/**
 * The tools of each session, created on first use and again when its folders change; the record of files read is kept.
 */
export function createSessionTools(deps: SessionToolsDeps): SessionTools {
  const kits = new WeakMap<Session, Kit>()

  function kitOf(session: Session): Kit {
    const { folder, addedFolders } = deps.effectiveHeader(session)
    const folders = JSON.stringify([folder, addedFolders])
    const known = kits.get(session)
    if (known?.folders === folders) return known
    const workspace = createWorkspace({
      root: folder,
      addedFolders,
      reads: known?.workspace.reads ?? createReadState(),
      editor: () => deps.files?.editorOf?.(session),
    })
    const todos = {
      get: () => session.header.todos,
      set: (list: typeof session.header.todos) => void session.record({ type: 'todos.changed', todos: list }),
    }
    const tasks = deps.tasksOf(session)
    const web = deps.webOf(session)
    const hooks = (): WriteHooks | undefined => deps.files?.writeHooksOf?.(session)
    const plan = deps.planOf(session)
    const sandbox = deps.sandboxOf?.(session)
    const agents = deps.agentsOf(session, () => kitOf(session).tools)
    const hidden = (tool: 'Grep' | 'Glob' | 'ListDirectory') => ({
      hidden: () => deps.files?.hiddenFrom?.(session, tool, workspace) ?? nothingHidden(),
    })
    // One for each kind of model, so that its description does not change during a conversation.
    const media = MEDIA.map(({ key, ...accepts }) => ({ key, tool: readMediaFileTool({ workspace, accepts }) }))
    const tools: Tool[] = [
      readTool({ workspace }),
      writeTool({ workspace, hooks }),
      editTool({ workspace, hooks, ...hidden('Grep') }),
      patchTool({ workspace, hooks, ...hidden('Grep') }),
      applyPatchTool({ workspace, hooks, ...hidden('Grep') }),
      listDirectoryTool({ workspace, ...hidden('ListDirectory') }),
      grepTool({ workspace, ...hidden('Grep') }),
      globTool({ workspace, ...hidden('Glob') }),
      ...media.filter(({ key }) => key === 'images').map(({ tool }) => tool),
      bashTool({
        workspace,
        terminals: { run: (start, chars) => deps.commandsOf(session).run(start, chars) },
        tasks,
        ...(sandbox && { sandbox }),
      }),
      taskListTool({ tasks }),
      taskOutputTool({ tasks, ...(deps.terminalsOf && { terminals: deps.terminalsOf(session) }) }),
      taskStopTool({ tasks }),
      fetchUrlTool({ web }),
      webSearchTool({ web }),
      skillTool({
        list: () => deps.skills.list(folder),
        body: deps.skills.body,
        turnId: () => session.header.turnId,
      }),
      todoListTool({ todos }),
      askUserQuestionTool(),
      enterPlanModeTool({ plan }),
      exitPlanModeTool({ plan }),
      agentTool({ agents }),
      createSubagentTool({ agents }),
      sendDMailTool({ checkpoints: deps.checkpointsOf(session) }),
      ...(deps.featureTools?.(session, workspace) ?? []),
    ]
    const kit: Kit = { workspace, folders, tools, media, registries: new Map() }
    kits.set(session, kit)
    return kit
  }

  return {
    workspaceOf: (session) => kitOf(session).workspace,
    allTools: (session) => kitOf(session).tools,
    forgetReads: (session) => kits.get(session)?.workspace.reads.forget(),
    toolsOf(session, model, disabled, offers = () => true) {
      const { tools, media, registries } = kitOf(session)
      const { imagesIn, traits } = model
      const kind = MEDIA.find(({ images, video }) => images === imagesIn && video === (traits?.videoIn ?? false))?.key
      const mediaTool = media.find(({ key }) => key === kind)?.tool
      const edits = editToolsOf(model, disabled)
      const offered = tools.flatMap((each): Tool[] => {
        const tool = each.name === 'ReadMediaFile' ? mediaTool : each
        const isOffered =
          tool !== undefined &&
          !disabled.includes(tool.name) &&
          (!EDIT_TOOLS.has(tool.name) || edits.includes(tool.name)) &&
          offers(tool)
        return isOffered ? [tool] : []
      })
      const key = `${kind}:${offered.map((tool) => tool.name).join()}`
      let registry = registries.get(key)
      if (!registry)
        registries.set(key, (registry = createRegistry(offered.length > 0 ? [...offered, callTool()] : [])))
      return registry
    },
  }
}
