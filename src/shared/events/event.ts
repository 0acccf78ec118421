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

/** What a recorded event says; `seq` and `at` are given by the store when it is appended. */
export type EventBody =
  | {
      type: 'session.created'
      folder: string
      title: string
      model?: string
      effort?: Effort
      mode: PermissionMode
      addedFolders: string[]
      /** The agent it runs as; absent: Trestle's usual one. */ agent?: SessionAgent
      /** The session whose conversation it began with, up to `seq`. */ forkedFrom?: { sessionId: string; seq: number }
      /** The schedule that it is a run of. */ schedule?: SessionSchedule
      /** Set when it was imported from a file. */ imported?: ImportedFrom
    }
  | {
      type: 'session.changed'
      title?: string
      /** `false` when Trestle made the title itself. */ titleIsCustom?: boolean
      model?: string
      /** How hard the model is to think; `default`: as its vendor does when nothing is said. */ effort?: EffortChoice
      mode?: PermissionMode
      /** The agent it runs as from its next turn on; `null`: the usual one. */ agent?: SessionAgent | null
      addedFolders?: string[]
      archived?: boolean
      /** Where its project folder is now. */ folder?: string
    }
  /** What the session's commands can reach from now on. */
  | { type: 'sandbox.changed'; sandbox: SandboxStatus }
  /** The user opened this to the session's sandboxed commands. */
  | { type: 'sandbox.allowed'; denied: SandboxDenial }
  | { type: 'prompt.queued'; promptId: string; parts: UserPart[]; /** For the turn that it starts. */ effort?: Effort }
  | { type: 'prompt.edited'; promptId: string; parts: UserPart[] }
  | { type: 'prompt.removed'; promptId: string }
  /** Its new place in the queue, from 0. */
  | { type: 'prompt.moved'; promptId: string; to: number }
  /** A queued prompt is to join the running turn before its next step; `turn.steered` says when it has. */
  | { type: 'prompt.joins'; promptId: string }
  | {
      type: 'turn.started'
      turnId: string
      parts: UserPart[]
      model: string
      /** How hard the model is to think in this turn, whatever the session says. */ effort?: Effort
      /** Set when the prompt came from the queue, which it leaves hereby. */ promptId?: string
      /** Set when no person asked: the parts tell the agent of these tasks, once and for all. */
      news?: TaskNotification[]
    }
  /** A message that joins the running turn before its next step. */
  | {
      type: 'turn.steered'
      turnId: string
      parts: UserPart[]
      promptId?: string
      /**
       * `guard`: written by the loop; `task`: tells the agent of `news`; `d-mail`: what a D-Mail says. None of them is
       * the user's.
       */
      by: 'user' | 'guard' | 'task' | 'd-mail'
      news?: TaskNotification[]
      /** Set when it tells the agent that plan mode is on, or off. */ plan?: 'on' | 'off'
      /** Set when it tells the agent what has changed around it. */ facts?: AnnouncedFact[]
      /** Set when it tells the agent what is remembered: the ids of the entries. */ memory?: number[]
      /** The checkpoint that a D-Mail has arrived at. */ checkpoint?: number
      /** It was said before, at a place that the conversation went back over. */ again?: true
    }
  /** Every request begins with this from now on, until the conversation is compacted. No part of the transcript. */
  | ({ type: 'prefix.frozen' } & RequestPrefix)
  | {
      type: 'step.started'
      turnId: string
      stepId: string
      /** From 1. */ n: number
      model: string
      /**
       * The number of the checkpoint before it: from 1 in each session, never given twice. Absent in logs from before
       * there were any.
       */
      checkpoint?: number
    }
  /**
   * An attempt failed and another follows after `delayMs`; what it had streamed is superseded, not part of the answer.
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
   * The model's answer. `partial` when it was stopped or failed in mid-stream: shown, and sent back only as far as it
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
      /** The id of the model that wrote it; absent in old logs, where it is that of the turn. */ model?: string
      /** The provider had rejected the thinking of answers before this one: it is left out from here on. */
      thinkingDropped?: true
      /** The one of `step.started`; the model has seen it. */ checkpoint?: number
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
      /** The key that is allowed for the session from now on; in logs from before there were rules for sessions. */
      remembered?: string
      /** The rules that the user made with it, one a line: for the session (a fold of this) or in config.toml. */
      rule?: { pattern: string; scope: 'session' | 'user' }
      /** What the user wrote to the model when rejecting. */ feedback?: string
      /** Which option was chosen, where it was not asked whether the call may run. */ chosen?: string
      /** What was filled into a form, without what seems to be a secret. */ values?: FormValues
      /** Why it ended without an answer, or what answered in place of a person; a sentence. */ reason?: string
      /** The user changed what it writes; the result of the call says how. */ edited?: true
    }
  /** Exactly one for each tool.started, also when stopped. */
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
  /** The model was asked for an MCP server, as the user allowed; it is not part of the conversation. */
  | { type: 'sampling.finished'; callId: string; server: string; model: string; usage: Usage }
  /**
   * What a call may change is safe: it was so before. `listing`: all of the workspace is, as listed in the session's
   * folder of checkpoints.
   */
  | {
      type: 'checkpoint.made'
      turnId: string
      callId: string
      files: { path: string; before: FileState }[]
      listing?: true
    }
  /** What the call did change. Sentences in `notCovered` say of what nothing is kept. */
  | ({ type: 'checkpoint.changed'; turnId: string; callId: string; notCovered?: string[] } & ChangeList)
  /**
   * Files, the conversation, or both became as they were right after the event `to`; it can be taken back like any
   * other change.
   */
  | ({
      type: 'checkpoint.restored'
      restoreId: string
      to: number
      /** Only a part of one file was taken back, or only one file; `edit`: the user changed files in the viewer. */
      part?: 'hunk' | 'file' | 'edit'
      kept: KeptFile[]
      conversation?: ConversationCut
      /** The agent went back itself; what it says arrives right after this. */ dMail?: DMail
    } & ChangeList)
  /**
   * The model is overloaded, and another one continues the turn; the next turn asks the first again. `quiet`: a small
   * one that was only tried.
   */
  | { type: 'model.fell_back'; turnId: string; from: string; to: string; failure: Failure; quiet?: true }
  /** A model named the session; without `title` what it said was no title. */
  | { type: 'title.made'; title?: string; model: string; usage?: Usage }
  | { type: 'todos.changed'; todos: Todo[] }
  /**
   * From now on the model has the conversation without what this leaves out. `before`, `after`: tokens, estimated where
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
      /** What the user wants kept. */ instruction?: string
      /** Tokens of the conversation before, with all that is sent along. */ tokens: number
      /** Tokens the model takes, where a provider's refusal has shown that they are fewer than configured. */
      learnedWindow?: number
    }
  | { type: 'compaction.retried'; compactionId: string; attempt: number; of: number; delayMs: number; failure: Failure }
  /** From now on the model has `kept`, then `note`, in place of everything before. */
  | ({
      type: 'compaction.finished'
      compactionId: string
      turnId?: string
      /** The model that was asked; absent in old logs. */ model?: string
    } & CompactionResult)
  /** It came to nothing; the conversation is as it was. */
  | {
      type: 'compaction.failed'
      compactionId: string
      turnId?: string
      why: 'failed' | 'stopped' | 'interrupted'
      failure?: Failure
    }
  /**
   * The model sees again what the compaction stood for; `earlier` is the one that stands for a part of that, if any.
   */
  | { type: 'compaction.undone'; compactionId: string; earlier?: CompactionMark; tokens: number }
  /** Plan mode is on. `plan`: which of the session's plans is worked on. */
  | { type: 'plan.entered'; plan: number; by: 'user' | 'agent' }
  /** The plan as it was put to the user; its text is kept beside the plan's file. */
  | ({ type: 'plan.submitted' } & Pick<PlanRevision, 'plan' | 'revision' | 'hash'>)
  /** What the user said to the latest revision. An approval, and `reject_exit`, end plan mode. */
  | { type: 'plan.resolved'; plan: number; revision: number; decision: PlanDecision; choice?: string }
  /** The user ended plan mode without a plan. */
  | { type: 'plan.left' }
  /** A command of this session runs in the background: the agent must be notified of its end. */
  | { type: 'task.started'; task: Task }
  /** A client asks to notify the agent of a task's current state. */
  | { type: 'news.requested'; taskId: string }
  /**
   * This session is a subagent's, and a call of its parent has given it work; `agent.ended` follows when that is over.
   */
  | ({ type: 'agent.started' } & AgentStart)
  | ({ type: 'agent.ended' } & AgentEnd)
  /** The user has sent it to the background: no call waits for it any more. */
  | { type: 'agent.moved' }
  /** A call has given work to a subagent, which is a session of its own. */
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
  /** What the user has allowed for the session at a request of one of its subagents. */
  | { type: 'rules.allowed'; patterns: string[]; agentId: string }
  /**
   * The session continues at another place: nothing can be added to it here until it comes back. `contents`: a digest
   * of what moves with the events.
   */
  | {
      type: 'session.sealed'
      moveId: string
      /** How often it has moved so far, plus one. */ epoch: number
      /** The address of the home that may receive it. */ to: string
      /** What the user calls that place. */ place?: string
      /** The histories of its subagents, which move along. */ agents: HistoryHead[]
      contents: string
      project?: MovedProject
    }
  /** It was received from another place, and continues here. Permissions given there do not count here. */
  | {
      type: 'session.received'
      moveId: string
      epoch: number
      /** The address of the home that it comes from. */ from: string
      folder: string
      mode: PermissionMode
      /** Folders, as they are called here: recorded paths in the first of each pair are now in the second. */
      moved: { from: string; to: string }[]
    }
  /** The user took the seal off: the session was never received elsewhere. */
  | { type: 'session.unsealed'; moveId: string; epoch: number; why: 'not_received' | 'incomplete' }
  | { type: 'turn.finished'; turnId: string; stop: StopReason; failure?: Failure; steps: number; durationMs: number }

/** Why the model stopped writing. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'refusal' | 'other'

/**
 * A recorded event: in the store, replayed, the only truth. `seq` counts from 1 per session without gaps; `at` is ms
 * since the epoch.
 */
export type RecordedEvent = EventBody & { sessionId: string; seq: number; at: number }

/** A live event: shown while it happens, never stored. Losing all of them loses only animation. */
export type LiveEvent =
  | { type: 'text.delta'; sessionId: string; stepId: string; text: string }
  | { type: 'thinking.delta'; sessionId: string; stepId: string; text: string }
  /**
   * The model is writing the arguments of a call. `chars` counts what arrived so far; `subject` is what the call is
   * about, as far as it is written.
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
  /** What a running tool has to say, e.g. the newest output of a command. `text` is appended. */
  | { type: 'tool.progress'; sessionId: string; callId: string; text: string }

export type SessionEvent = RecordedEvent | LiveEvent

const LIVE_TYPES: ReadonlySet<string> = new Set(['text.delta', 'thinking.delta', 'tool.drafting', 'tool.progress'])

export function isRecorded(event: SessionEvent): event is RecordedEvent {
  return !LIVE_TYPES.has(event.type)
}
