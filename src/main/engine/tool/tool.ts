import type { LazySchema, SchemaOutput } from '../../../shared/lazy-schema'
import type { ApprovalKind, ApprovalOption, MidCallAsk, PersonAnswer } from '../../../shared/model/approval/approval'
import type { FormValues } from '../../../shared/model/approval/form'
import type { ResultPart } from '../../../shared/model/turn/message'
import type { Preview, ProposedText, ToolDetails } from '../../../shared/model/approval/preview'
import type { CommandSandbox } from '../../../shared/model/task/sandbox'
import type { Todo } from '../../../shared/model/turn/plan'

/** Hints about a tool, as in the Model Context Protocol. They can only make a policy stricter. */
export interface ToolAnnotations {
  readOnly: boolean
  destructive: boolean
  idempotent: boolean
  openWorld: boolean
}

/**
 * Something a call will touch. Two calls conflict when their accesses overlap (same path, or one inside a `tree`) and
 * one of them writes. `all` overlaps with everything. `path` is absolute with symlinks resolved; `written` is what the
 * model wrote, made absolute.
 */
export type Access =
  | { kind: 'file'; path: string; written?: string; write: boolean }
  | { kind: 'tree'; path: string; written?: string; write: boolean }
  | {
      kind: 'command'
      command: string
      cwd: string
      /** It keeps running after the call has returned. */ background?: true
      /** The model asks to run it without a sandbox: its reason. */ unrestricted?: string
    }
  | { kind: 'network'; host: string; /** The requested page. */ url?: string }
  /** Something an MCP server does. A `local` server can touch any file, as a command can. */
  | { kind: 'server'; server: string; local: boolean; write: boolean }
  | { kind: 'all' }

/** What a call returns. An expected failure has `isError` and advice the model can act on; a throw is a bug. */
export interface ToolResult {
  content: ResultPart[]
  isError?: boolean
  details?: ToolDetails
  /** The user wants the turn to end here, so the model is not called again. */
  endsTurn?: true
}

/** The context of a single call. */
export interface CallContext {
  callId: string
  signal: AbortSignal
  /** Appends to what the tool's card shows while it runs. Cheap: updates are merged per frame. */
  progress(text: string): void
  /** The user's answer, if the call asks. */
  answer?: PersonAnswer
  /** The sandbox its command may run in; absent: no sandbox. */
  sandbox?: CommandSandbox
  /**
   * Asks the user while the call runs, and waits; that time does not count against the call's limit. Resolves without
   * an answer when no user is available, when `signal` aborts (its reason, as a sentence, is recorded), or when the
   * turn is stopped. Never rejects.
   */
  ask(question: CallQuestion, signal?: AbortSignal): Promise<CallAnswer>
}

/** A question that a running call asks the user. */
export interface CallQuestion {
  asks: MidCallAsk
  /** What it is about, on one line. */
  summary: string
  /** Why it is asked, as a sentence. */
  reason: string
  preview: Preview
  /** One of them has the kind `reject_once`. */
  options: ApprovalOption[]
  /** What is wrong with an answer, as a sentence; undefined when it is valid. */
  problemOf?(answer: PersonAnswer): string | undefined
  /** The values that were filled in, as far as they may be recorded. */
  kept?(answer: PersonAnswer): FormValues | undefined
}

/** `none`: the kind of reason why there is no answer; `why` is a sentence. */
export type CallAnswer =
  | { optionId: string; kind: ApprovalKind; values?: FormValues }
  | { none: 'unattended' | 'ended'; why: string }

/**
 * Makes a call one that only asks: no mode, rule or policy answers for the user. A deny rule can still prevent the
 * question.
 */
export interface PersonQuestion {
  about: 'plan' | 'questions'
  /** Why it is asked, as a sentence. */
  reason: string
  options: ApprovalOption[]
  /** The message to the model when no user is available. */
  unattended: string
  /**
   * Called once before the question is asked, even without a user; not again for a question that is still pending after
   * a restart.
   */
  asking?(): Promise<void>
  /** What is wrong with an answer, as a sentence; undefined when it is valid. */
  problemOf(answer: PersonAnswer): string | undefined
}

/**
 * The keys under which sessions created before rules existed remember what the user allowed. What can be allowed now is
 * offered as rules.
 */
export interface Remember {
  /** Stored for the session; a later call with an equal key is allowed. */
  key: string
  /** The button label, such as `Allow edits in src/checkout for this session`. */
  label: string
  /** Keys that also cover this call if they were allowed before: for a file, those of the folders above its own. */
  coveredBy?: readonly string[]
}

/** A call that is ready to run. Policies judge it, the scheduler orders it, and the approval card shows it. */
export interface PreparedCall {
  /** One line for the user: `src/x.ts`, `npm test`. Without the tool's name. */
  summary: string
  accesses: Access[]
  /** What would change, for the approval card. Computed only on request. */
  preview?: () => Promise<Preview | undefined>
  /**
   * Checks, without effects, whether the call would currently fail: returns its failure, or undefined if it would
   * succeed. Called just before the user is asked, so that the user never approves a call that cannot work. `run`
   * checks again.
   */
  check?: () => Promise<ToolResult | undefined>
  rememberAs?: Remember
  /** For a call that changes one text file: what it would write. The user can change it before allowing the call. */
  proposal?: Proposal
  asks?: PersonQuestion
  /** Called once, and only if allowed. */
  run(ctx: CallContext): Promise<ToolResult>
}

/** A change to one text file that can still be edited. Based on the current version of the file; has no effects. */
export interface Proposal {
  /** Undefined when the file is too large to be edited manually, or the call would fail. */
  texts(): Promise<ProposedText | undefined>
  /** The same call, but leaving this text in the file; its result reports to the model what the user changed. */
  withText(text: string): Promise<PreparedCall | Refusal>
}

/** What `prepare` returns when the call cannot be made: a result that the model can act on. */
export interface Refusal {
  refused: ToolResult
}

export interface Tool<Schema extends LazySchema = LazySchema> {
  name: string
  /** For the model: the contents of the `.md` file next to the tool. */
  description: string
  input: Schema
  /** The input schema for the model, if not derived from `input`: a JSON Schema whose root is an object. */
  schema?: Readonly<Record<string, unknown>>
  annotations: ToolAnnotations
  /** Set if the tool belongs to a server: what its annotations claim allows nothing. */
  server?: {
    name: string
    /** Distinguishes it from other servers with the same name. */ id?: string
    tool: string
    /** The server itself declares that it can be destructive. */ saysDestructive: boolean
  }
  /**
   * The input fields that describe what a call is about, shown while the input is still being written; the first one
   * that arrives is used. Default: the first text.
   */
  subject?: readonly string[]
  /** Time limit in ms; default 30 s. `null`: the tool enforces its own. */
  timeoutMs?: number | null
  /**
   * Offered as one line in the instructions and called with `call_tool`, which costs a fraction of what a schema costs.
   * For tools that most turns do not need.
   */
  brief?: true
  /** Offered only to agents whose list of tools names it, so that others do not pay for it. */
  listedOnly?: true
  /** Refused when other calls are made in the same step. */
  alone?: true
  /** Result limit in characters; default 50,000. */
  maxResultChars?: number
  /** Cheap and without effects; declares what would be touched. `input` is already validated. */
  prepare(input: SchemaOutput<Schema>): Promise<PreparedCall | Refusal>
}

/** A failure that the model can act on. */
export function failed(text: string, details?: ToolDetails): ToolResult {
  return { content: [{ type: 'text', text }], isError: true, ...(details && { details }) }
}

/** The default for what tools that list or search leave out: no file. */
export const nothingHidden = async (): Promise<(path: string) => boolean> => () => false

/** A refusal to prepare, with advice. */
export function refuse(text: string): Refusal {
  return { refused: failed(text) }
}

/** A plain text result. */
export function ok(text: string, details?: ToolDetails): ToolResult {
  return { content: [{ type: 'text', text }], ...(details && { details }) }
}

/** The session's to-do list, as the TodoList tool needs it. */
export interface TodoStore {
  get(): readonly Todo[]
  /** Records the change. */
  set(todos: Todo[]): void
}

/** A tool that belongs to an MCP server, as the engine uses it. */
export type ServerTool = Tool & Required<Pick<Tool, 'server' | 'schema'>>

/** The current tools of a session's servers: the same array, of the same tools, until something changes. */
export interface ServerTools {
  tools(): readonly ServerTool[]
  /** Tools disabled in their server's configuration: shown to the user, never offered to the model. */
  disabledTools(): readonly ServerTool[]
  /** The servers' instructions for use, by their configured names. */
  instructions(): readonly { server: string; text: string }[]
}

/** The tool's id in tool search: `server::tool`. */
export function serverToolId({ server }: Pick<ServerTool, 'server'>): string {
  return `${server.name}::${server.tool}`
}
