import type { PermissionMode } from '../../../../shared/model/approval/approval'
import type { CommandSandbox } from '../../../../shared/model/task/sandbox'
import type { EvaluationTime } from '../shell/evaluation-time'
import type { PreparedCall, Tool } from '../../tool/tool'
import type { Workspace } from '../../workspace/workspace'
import type { PermissionRule } from '../../permission/permission-rule'
import type { CommandPart, TouchedPath } from '../shell/command-part'
import type { ToolChange } from './tool-pins'

/** A call to judge. */
export interface JudgedCall {
  tool: Pick<Tool, 'name' | 'annotations' | 'server'>
  call: PreparedCall
  mode: PermissionMode
  workspace: Workspace
  /** Set in plan mode: the only file that can change. */
  plan?: { file: string }
  /** TRESTLE_HOME, and its folders with output of this session's own calls that the model may read. */
  home: string
  ownOutput: readonly string[]
  /** The rules of the user, of a trusted project and of the session. */
  rules: readonly PermissionRule[]
  /** The command, broken down; each part is judged separately. */
  parts?: readonly CommandPart[]
  /** The part being judged. */
  part?: CommandPart
  /** The type of the agent if it is read-only. */
  readOnlyAgent?: string
  /** What the session's sandboxes can do; absent when unknown. */
  sandboxes?: CommandSandboxes
  /** The time limit for judging; policies that loop over rules check it. */
  time?: EvaluationTime
  /** Set when the server's tool has changed since the user allowed it. */
  toolChange?: ToolChange
  /** Whether an agent of the conversation has read mail. */
  hasReadMail?(): boolean
  /** Whether an agent of the conversation has read third-party text: a web page, mail, or a server's result. */
  hasReadThirdParty?(): boolean
  /** Whether the user allowed this key for the session. */
  isRemembered(key: string): boolean
}

/** `reason` is shown to the user ("Why am I asked?") and, on a denial, to the model. */
export interface Verdict {
  decision: 'allow' | 'deny' | 'ask'
  reason: string
  /** The rule that decided. */
  rule?: PermissionRule
  /** It asks every time, so it cannot be allowed for the session. */
  everyTime?: true
  /** The sandbox a command runs in if it is allowed, or if the user chooses the first option on the card. */
  sandbox?: CommandSandbox
}

/** A verdict on a part of a command. */
export interface PartVerdict {
  part: CommandPart
  verdict: Verdict
}

/** What the sandboxes of a session can do, for judging its commands. */
export interface CommandSandboxes {
  /** Why no sandbox is available, as a sentence; absent when one is available. */
  unavailable?: string
  /** No command may run without a sandbox unless the user allowed that exact command. */
  required: boolean
  /** Hosts that a sandbox with the network level `listed` can reach. */
  hosts: readonly string[]
  /** Hosts whose pages the web tools fetch without asking. */
  webHosts: readonly string[]
  /** Hosts that the user allowed for the session: reachable even without a network. */
  openedHosts: readonly string[]
  /**
   * Paths outside the project that a command in the project's sandbox can change: caches, and what the user allowed.
   */
  writable: readonly string[]
  /** Whether a command in the project's sandbox can read this path outside the project. */
  isReadable(path: string): boolean
}

/** One rule of judgment. `undefined`: no opinion, so the next policy decides. Has no effects. */
export type Policy = (call: JudgedCall) => Verdict | undefined

/** Whether a call writes files itself; commands are judged by their parts. */
export function writesFiles({ accesses }: JudgedCall['call']): boolean {
  return accesses.some((access) => (access.kind === 'file' || access.kind === 'tree') && access.write)
}

/** The real paths a call names; for a command, its folder and the paths that the judged part touches. */
export function pathsOf({ call, part }: Pick<JudgedCall, 'call' | 'part'>): { path: string; write: boolean }[] {
  const named = call.accesses.flatMap((access) => {
    if (access.kind === 'file' || access.kind === 'tree') return [{ path: access.path, write: access.write }]
    return access.kind === 'command' ? [{ path: access.cwd, write: true }] : []
  })
  return part
    ? [
        ...named,
        ...part.paths.map(({ realPath, write }) => ({
          path: realPath,
          write: write || (!part.readOnly && part.kind === 'run'),
        })),
      ]
    : named
}

/** The folders that a part of a command walks entirely. */
export function treesOf(part: CommandPart): (TouchedPath & { tree: NonNullable<TouchedPath['tree']> })[] {
  return part.paths.flatMap((path) => (path.tree ? [{ ...path, tree: path.tree }] : []))
}

/** What a part of a command is known to write outside the project and the folders the user added. */
export function writesOutside(part: CommandPart): TouchedPath[] {
  return part.paths.filter(({ write, unsure, inside, realPath }) => write && !unsure && !inside && !isSink(realPath))
}

/** Whether a target discards what is written to it. */
function isSink(path: string): boolean {
  return /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+|pts\/\d+)$/.test(path)
}
