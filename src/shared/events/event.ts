import type { AgentEnd, AgentStart, SessionAgent, SubagentType } from '../model/session/agent'
import type { Approval, ApprovalOutcome, Judgement, PermissionMode } from '../model/approval/approval'
import type {
  CompactionMark,
  CompactionReason,
  CompactionResult,
  ContextTrim,
  RequestPrefix,
  AnnouncedFact,
} from '../model/turn/context'
import type { PlanDecision, PlanRevision, Todo } from '../model/turn/plan'
import type { FormValues } from '../model/approval/form'
import type { Effort, EffortChoice } from '../model/turn/effort'
import type { HistoryHead, MovedProject } from '../model/place/move'
import type { ChangeList, ConversationCut, DMail, FileState, KeptFile } from '../model/session/checkpoint'
import type { Failure } from '../errors'
import type { AssistantPart, ResultPart, Usage, UserPart } from '../model/turn/message'
import type { Preview, ToolDetails } from '../model/approval/preview'
import type { SandboxDenial, SandboxStatus } from '../model/task/sandbox'
import type { SessionSchedule } from '../model/assistant/schedule'
import type { ImportedFrom, StopReason } from '../model/session/session'
import type { Task, TaskNotification } from '../model/task/task'

/** The content of a recorded event; the store adds `seq` and `at` when it is appended. */
export type EventBody =
  | {
      type: 'session.created'
      folder: string
      title: string
      model?: string
      effort?: Effort
      mode: PermissionMode
      addedFolders: string[]
      /** The agent it runs as; absent: Trestle's default. */ agent?: SessionAgent
      /** The session whose conversation it starts with, up to `seq`. */ forkedFrom?: { sessionId: string; seq: number }
      /** The schedule whose run it is. */ schedule?: SessionSchedule
      /** Set when it was imported from a file. */ imported?: ImportedFrom
    }
  | {
      type: 'session.changed'
      title?: string
      /** `false` when Trestle generated the title. */ titleIsCustom?: boolean
      model?: string
      /** The reasoning effort; `default`: the vendor's default. */ effort?: EffortChoice
      mode?: PermissionMode
      /** The agent from its next turn on; `null`: the default. */ agent?: SessionAgent | null
      addedFolders?: string[]
      archived?: boolean
      /** The current path of its project folder. */ folder?: string
    }
  /** What the session's commands can reach from now on. */
  | { type: 'sandbox.changed'; sandbox: SandboxStatus }
  /** The user allowed this access for the session's sandboxed commands. */
  | { type: 'sandbox.allowed'; denied: SandboxDenial }
  | { type: 'prompt.queued'; promptId: string; parts: UserPart[]; /** For the turn that it starts. */ effort?: Effort }
  | { type: 'prompt.edited'; promptId: string; parts: UserPart[] }
  | { type: 'prompt.removed'; promptId: string }
  /** Its new position in the queue, from 0. */
  | { type: 'prompt.moved'; promptId: string; to: number }
  /** A queued prompt should join the running turn before its next step; `turn.steered` records when it has. */
  | { type: 'prompt.joins'; promptId: string }
  | {
      type: 'turn.started'
      turnId: string
      parts: UserPart[]
      model: string
      /** The reasoning effort for this turn, which overrides the session's. */ effort?: Effort
      /** Set when the prompt came from the queue; this event removes it from there. */ promptId?: string
      /** Set when no user sent the prompt: the parts notify the agent of these tasks, once. */
      news?: TaskNotification[]
    }
  /** A message that joins the running turn before its next step. */
  | {
      type: 'turn.steered'
      turnId: string
      parts: UserPart[]
      promptId?: string
      /**
       * `guard`: written by the loop; `task`: notifies the agent of `news`; `d-mail`: the message of a D-Mail. Only
       * `user` is written by the user.
       */
      by: 'user' | 'guard' | 'task' | 'd-mail'
      news?: TaskNotification[]
      /** Set when it informs the agent that plan mode is on, or off. */ plan?: 'on' | 'off'
      /** Set when it informs the agent of changes in its surroundings. */ facts?: AnnouncedFact[]
      /** Set when it contains remembered entries: their ids. */ memory?: number[]
      /** The checkpoint that a D-Mail has arrived at. */ checkpoint?: number
      /** A repetition of a message that was removed by going back in the conversation. */ again?: true
    }
  /** Every request starts with this from now on, until the conversation is compacted. Not part of the transcript. */
  | ({ type: 'prefix.frozen' } & RequestPrefix)
  | {
      type: 'step.started'
      turnId: string
      stepId: string
      /** From 1. */ n: number
      model: string
      /**
       * The number of the checkpoint before it: from 1 in each session, never reused. Absent in logs older than
       * checkpoints.
       */
      checkpoint?: number
    }
  /**
   * An attempt failed and another follows after `delayMs`; what it had streamed is superseded, and not part of the
   * answer.
   */
  | {
      type: 'step.retried'
      turnId: string
      stepId: string
      attempt: number
      of: number
      delayMs: number
      failure: Failure
      superseded: { text: string; thinking: string }
    }
  /**
   * The model's answer. `partial` when it was stopped or failed in mid-stream: shown, and sent back only as far as that
   * is safe.
   */
  | {
      type: 'step.finished'
      turnId: string
      stepId: string
      parts: AssistantPart[]
      usage?: Usage
      finish: FinishReason
      partial?: boolean
      durationMs: number
      /** The id of the model that wrote it; absent in old logs, where it is the turn's model. */ model?: string
      /** The provider rejected the thinking of earlier answers: it is omitted from here on. */
      thinkingDropped?: true
      /** The checkpoint of `step.started`; the model has seen it. */ checkpoint?: number
    }
  | {
      type: 'tool.started'
      turnId: string
      stepId: string
      callId: string
      name: string
      input: string
      summary: string
      preview?: Preview
    }
  /** The call was judged without asking. When allowed, it starts right after this. */
  | ({ type: 'tool.judged'; turnId: string; callId: string } & Judgement)
  | { type: 'approval.requested'; approval: Approval }
  | {
      type: 'approval.resolved'
      approvalId: string
      callId: string
      outcome: ApprovalOutcome
      /** The key that is allowed for the session from now on; in logs older than rules for sessions. */
      remembered?: string
      /** The rules that the user created with it, one per line: for the session (a fold of this) or in config.toml. */
      rule?: { pattern: string; scope: 'session' | 'user' }
      /** What the user wrote to the model when rejecting. */ feedback?: string
      /** The chosen option, if the question was not whether the call may run. */ chosen?: string
      /** The values entered in a form, without what looks like a secret. */ values?: FormValues
      /** Why it ended without an answer, or what answered instead of the user; a sentence. */ reason?: string
      /** The user edited what it writes; the result of the call describes how. */ edited?: true
    }
  /** Exactly one for each tool.started, even if it was stopped. */
  | {
      type: 'tool.finished'
      turnId: string
      callId: string
      name: string
      content: ResultPart[]
      isError: boolean
      details?: ToolDetails
      durationMs: number
    }
  /** The model answered a request of an MCP server, with the user's approval; it is not part of the conversation. */
  | { type: 'sampling.finished'; callId: string; server: string; model: string; usage: Usage }
  /**
   * What a call can change has been saved; this is the state before it. `listing`: the whole workspace was saved, as
   * listed in the session's folder of checkpoints.
   */
  | {
      type: 'checkpoint.made'
      turnId: string
      callId: string
      files: { path: string; before: FileState }[]
      listing?: true
    }
  /** The actual changes of the call. The sentences in `notCovered` describe what was not saved. */
  | ({ type: 'checkpoint.changed'; turnId: string; callId: string; notCovered?: string[] } & ChangeList)
  /**
   * Files, the conversation, or both were restored to right after the event `to`; it can be undone like any other
   * change.
   */
  | ({
      type: 'checkpoint.restored'
      restoreId: string
      to: number
      /** Only a part of one file was undone, or only one file; `edit`: the user changed files in the viewer. */
      part?: 'hunk' | 'file' | 'edit'
      kept: KeptFile[]
      conversation?: ConversationCut
      /** The agent went back on its own; its message arrives right after this. */ dMail?: DMail
    } & ChangeList)
  /**
   * The model is overloaded, and another one continues the turn; the next turn tries the first one again. `quiet`: a
   * small model was replaced, after any failure and without notifying the user.
   */
  | { type: 'model.fell_back'; turnId: string; from: string; to: string; failure: Failure; quiet?: true }
  /** A model named the session; without `title`, its answer was not usable as a title. */
  | { type: 'title.made'; title?: string; model: string; usage?: Usage }
  | { type: 'todos.changed'; todos: Todo[] }
  /**
   * From now on, the conversation that the model sees omits what this lists. `before`, `after`: tokens, estimated where
   * no provider has counted them.
   */
  | ({
      type: 'context.trimmed'
      turnId?: string
      before: number
      after: number
      /** As in `compaction.started`. */ learnedWindow?: number
    } & ContextTrim)
  /** A compaction has started: nothing changes until it is finished. `turnId`: within a turn. */
  | {
      type: 'compaction.started'
      compactionId: string
      turnId?: string
      reason: CompactionReason
      /** What the user wants to keep. */ instruction?: string
      /** Tokens of the conversation before, including everything sent with it. */ tokens: number
      /** The model's context window, where a provider's refusal has shown that it is smaller than configured. */
      learnedWindow?: number
    }
  | { type: 'compaction.retried'; compactionId: string; attempt: number; of: number; delayMs: number; failure: Failure }
  /** From now on, the model sees `kept`, then `note`, instead of everything before. */
  | ({
      type: 'compaction.finished'
      compactionId: string
      turnId?: string
      /** The model that wrote the summary; absent in old logs. */ model?: string
    } & CompactionResult)
  /** The compaction failed; the conversation is unchanged. */
  | {
      type: 'compaction.failed'
      compactionId: string
      turnId?: string
      why: 'failed' | 'stopped' | 'interrupted'
      failure?: Failure
    }
  /**
   * The model sees again what the compaction replaced; `earlier` is the compaction that replaces a part of that, if
   * any.
   */
  | { type: 'compaction.undone'; compactionId: string; earlier?: CompactionMark; tokens: number }
  /** Plan mode is on. `plan`: which of the session's plans is being worked on. */
  | { type: 'plan.entered'; plan: number; by: 'user' | 'agent' }
  /** The plan as it was submitted to the user; its text is stored beside the plan's file. */
  | ({ type: 'plan.submitted' } & Pick<PlanRevision, 'plan' | 'revision' | 'hash'>)
  /** The user's decision on the latest revision. An approval, and `reject_exit`, end plan mode. */
  | { type: 'plan.resolved'; plan: number; revision: number; decision: PlanDecision; choice?: string }
  /** The user ended plan mode without a plan. */
  | { type: 'plan.left' }
  /** A command of this session runs in the background: the agent must be notified when it ends. */
  | { type: 'task.started'; task: Task }
  /** A client requests that the agent be notified of a task's current state. */
  | { type: 'news.requested'; taskId: string }
  /**
   * This session belongs to a subagent, to which a call of its parent has given work; `agent.ended` follows when the
   * work ends.
   */
  | ({ type: 'agent.started' } & AgentStart)
  | ({ type: 'agent.ended' } & AgentEnd)
  /** The user has moved it to the background: no call waits for it any longer. */
  | { type: 'agent.moved' }
  /** A call has given work to a subagent, which has its own session. */
  | {
      type: 'subagent.started'
      callId: string
      agentId: string
      agentType: string
      description: string
      background: boolean
      isResumed: boolean
    }
  /** The agent has defined a type of subagents for this session. */
  | { type: 'subagent.defined'; definition: SubagentType }
  /** Rules that the user allowed for the session in a request of one of its subagents. */
  | { type: 'rules.allowed'; patterns: string[]; agentId: string }
  /**
   * The session continues at another place: nothing can be added to it here until it returns. `contents`: a digest of
   * what moves with the events.
   */
  | {
      type: 'session.sealed'
      moveId: string
      /** How often it has moved so far, plus one. */ epoch: number
      /** The address of the home that may receive it. */ to: string
      /** The user's name for that place. */ place?: string
      /** The histories of its subagents, which move with it. */ agents: HistoryHead[]
      contents: string
      project?: MovedProject
    }
  /** It was received from another place, and continues here. Permissions granted there do not apply here. */
  | {
      type: 'session.received'
      moveId: string
      epoch: number
      /** The address of the home that it came from. */ from: string
      folder: string
      mode: PermissionMode
      /** Folders, with their paths here: recorded paths in the first of each pair are now in the second. */
      moved: { from: string; to: string }[]
    }
  /** The user removed the seal: the session was never received elsewhere. */
  | { type: 'session.unsealed'; moveId: string; epoch: number; why: 'not_received' | 'incomplete' }
  | { type: 'turn.finished'; turnId: string; stop: StopReason; failure?: Failure; steps: number; durationMs: number }

/** Why the model stopped writing. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'refusal' | 'other'

/**
 * A recorded event: stored, replayed, and the only source of truth. `seq` counts from 1 per session without gaps; `at`
 * is ms since the epoch.
 */
export type RecordedEvent = EventBody & { sessionId: string; seq: number; at: number }

/** A live event: shown while it happens, never stored. Losing all of them loses only animation. */
export type LiveEvent =
  | { type: 'text.delta'; sessionId: string; stepId: string; text: string }
  | { type: 'thinking.delta'; sessionId: string; stepId: string; text: string }
  /**
   * The model is writing the arguments of a call. `chars` counts what arrived so far; `subject` is what the call is
   * about, as far as it is known.
   */
  | {
      type: 'tool.drafting'
      sessionId: string
      stepId: string
      callId: string
      name: string
      chars: number
      subject?: string
    }
  /** Progress of a running tool, e.g. the newest output of a command. `text` is appended. */
  | { type: 'tool.progress'; sessionId: string; callId: string; text: string }

export type SessionEvent = RecordedEvent | LiveEvent

const LIVE_TYPES: ReadonlySet<string> = new Set(['text.delta', 'thinking.delta', 'tool.drafting', 'tool.progress'])

export function isRecorded(event: SessionEvent): event is RecordedEvent {
  return !LIVE_TYPES.has(event.type)
}
