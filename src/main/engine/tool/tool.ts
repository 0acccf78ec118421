import type { LazySchema, SchemaOutput } from '../../../shared/lazy-schema'
import type { ApprovalKind, ApprovalOption, MidCallAsk, PersonAnswer } from '../../../shared/model/approval/approval'
import type { FormValues } from '../../../shared/model/approval/form'
import type { ResultPart } from '../../../shared/model/turn/message'
import type { Preview, ProposedText, ToolDetails } from '../../../shared/model/approval/preview'
import type { CommandSandbox } from '../../../shared/model/task/sandbox'
import type { Todo } from '../../../shared/model/turn/plan'

/** Hints about a tool, as in the Model Context Protocol. They can make a policy stricter, never laxer. */
export interface ToolAnnotations {
  readOnly: boolean
  destructive: boolean
  idempotent: boolean
  openWorld: boolean
}

/**
 * Something a call will touch. Two calls conflict when their accesses meet (same path, or one inside a `tree`)
 * and one of them writes. `all` meets everything. `path` is absolute with symlinks resolved;
 * `written` is what the model wrote, made absolute.
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
  | { kind: 'network'; host: string; /** The page asked for. */ url?: string }
  /** Something a server of the Model Context Protocol does. A `local` one can touch any file, as a command can. */
  | { kind: 'server'; server: string; local: boolean; write: boolean }
  | { kind: 'all' }

/** What a call returns. An expected failure is `isError` with advice the model can act on; a throw is a bug. */
export interface ToolResult {
  content: ResultPart[]
  isError?: boolean
  details?: ToolDetails
  /** The user wants the turn to end here: the model is not asked again. */
  endsTurn?: true
}

/** What differs per call. */
export interface CallContext {
  callId: string
  signal: AbortSignal
  /** Appends to what the tool's card shows while it runs. Cheap; merged per frame. */
  progress(text: string): void
  /** The user's answer, when the call asks. */
  answer?: PersonAnswer
  /** What its command was allowed to run in; absent: everywhere. */
  sandbox?: CommandSandbox
  /**
   * Asks a person while the call runs, and waits; that time does not count against the call's limit. Resolves without
   * an answer when no user can be asked, when
   * `signal` aborts (its reason, as a sentence, is recorded), or the turn is stopped. Never rejects.
   */
  ask(question: CallQuestion, signal?: AbortSignal): Promise<CallAnswer>
}

/** What a running call asks a person. */
export interface CallQuestion {
  asks: MidCallAsk
  /** One line: what it is about. */
  summary: string
  /** Why it is asked; a sentence. */
  reason: string
  preview: Preview
  /** One of them of the kind `reject_once`. */
  options: ApprovalOption[]
  /** What is wrong with an answer, as a sentence; undefined when it will do. */
  problemOf?(answer: PersonAnswer): string | undefined
  /** What was filled in, as far as it may be recorded. */
  kept?(answer: PersonAnswer): FormValues | undefined
}

/** `none`: why there is no answer; `why` is a sentence. */
export type CallAnswer =
  | { optionId: string; kind: ApprovalKind; values?: FormValues }
  | { none: 'unattended' | 'ended'; why: string }

/**
 * What makes a call one that does nothing but ask: no mode, rule or policy answers for the person. A deny rule may
 * still forbid to ask.
 */
export interface PersonQuestion {
  about: 'plan' | 'questions'
  /** Why it is asked; a sentence. */
  reason: string
  options: ApprovalOption[]
  /** The message to the model when no user is available. */
  unattended: string
  /** Called once before it is asked, also without a user; not again when it still waits after a restart. */
  asking?(): Promise<void>
  /** What is wrong with an answer, as a sentence; undefined when it will do. */
  problemOf(answer: PersonAnswer): string | undefined
}

/**
 * Under which keys sessions from before there were rules remember what the user allowed; what can be allowed now is
 * offered as rules.
 */
export interface Remember {
  /** Stored for the session; a later call with an equal key is allowed. */
  key: string
  /** What the button says, e.g. `Allow edits in src/checkout for this session`. */
  label: string
  /** Keys which, when allowed before, cover this call too: for a file, those of the folders above its own. */
  coveredBy?: readonly string[]
}

/** A call that is ready to run. Policies decide on it, the scheduler orders it, the approval card shows it. */
export interface PreparedCall {
  /** One line for the user: `src/x.ts`, `npm test`. Without the tool's name. */
  summary: string
  accesses: Access[]
  /** What would change, for the approval card. Computed only when it is asked for. */
  preview?: () => Promise<Preview | undefined>
  /**
   * Looks, without effects, whether the call would fail as things are now: its failure, or undefined when it would go
   * through. For use just before a person is asked, so that the user never approves a call that cannot work. `run`
   * looks again.
   */
  check?: () => Promise<ToolResult | undefined>
  rememberAs?: Remember
  /** What it would write, for a call that changes one text file: the user may change it before allowing the call. */
  proposal?: Proposal
  asks?: PersonQuestion
  /** Called once, only when allowed. */
  run(ctx: CallContext): Promise<ToolResult>
}

/** A change to one text file that can still be changed. Looks at the file as it is now; without effects. */
export interface Proposal {
  /** Undefined when the file is too large to be edited by hand, or the call would fail. */
  texts(): Promise<ProposedText | undefined>
  /** The same call, leaving the file with this text instead; its result tells the model what the user has changed. */
  withText(text: string): Promise<PreparedCall | Refusal>
}

/** What `prepare` answers when the call cannot be made: a result the model can act on. */
export interface Refusal {
  refused: ToolResult
}

export interface Tool<Schema extends LazySchema = LazySchema> {
  name: string
  /** For the model; the `.md` beside the tool. */
  description: string
  input: Schema
  /** The input schema for the model, when not derived from `input`: a JSON Schema whose top is an object. */
  schema?: Readonly<Record<string, unknown>>
  annotations: ToolAnnotations
  /** It belongs to a server: what its annotations claim allows nothing. */
  server?: {
    name: string
    /** Tells it from servers of the same name elsewhere. */ id?: string
    tool: string
    /** The server itself says that it can destroy something. */ saysDestructive: boolean
  }
  /**
   * The fields of its input that say what a call is about, shown while it is still being written; the first that comes.
   * Default: the first text.
   */
  subject?: readonly string[]
  /** Time limit in ms; default 30 s. `null`: the tool keeps its own. */
  timeoutMs?: number | null
  /**
   * Offered as one line in the instructions and called with `call_tool`, which takes a fraction of what a schema takes.
   * For tools that most turns do not need.
   */
  brief?: true
  /** Offered only to agents whose list of tools names it, so that it costs the others nothing. */
  listedOnly?: true
  /** It is refused when other calls are made in the same step. */
  alone?: true
  /** Result limit in characters; default 50,000. */
  maxResultChars?: number
  /** Cheap and free of effects; says what would be touched. `input` is already validated. */
  prepare(input: SchemaOutput<Schema>): Promise<PreparedCall | Refusal>
}

/** A failure the model can act on. */
export function failed(text: string, details?: ToolDetails): ToolResult {
  return { content: [{ type: 'text', text }], isError: true, ...(details && { details }) }
}

/** What tools that list or search leave out where nothing else is said: no file. */
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

/** A tool that belongs to a server of the Model Context Protocol, as the engine has it. */
export type ServerTool = Tool & Required<Pick<Tool, 'server' | 'schema'>>

/** The tools of a session's servers as they are now: the same array, of the same tools, until something changes. */
export interface ServerTools {
  tools(): readonly ServerTool[]
  /** Tools disabled in their server's configuration: shown to the user, never offered to the model. */
  disabledTools(): readonly ServerTool[]
  /** What the servers say about their use, by the names they are configured under. */
  instructions(): readonly { server: string; text: string }[]
}

/** How tool search names it: `server::tool`. */
export function serverToolId({ server }: Pick<ServerTool, 'server'>): string {
  return `${server.name}::${server.tool}`
}
