import type { CalendarEvent } from './calendar-event'
import type { FormField, Question, QuestionAnswer } from './form'
import type { PlanAlternative, PlanDecision } from '../turn/plan'
import type { CommandSandbox, SandboxDenial } from '../task/sandbox'
import type { Task } from '../task/task'

/** The change of one file by a call, proposed or done. */
export interface FileDiff {
  path: string
  /** Unified diff with 3 lines of context. */ diff: string
  added: number
  removed: number
  note?: string
  /** SHA-256 of the new content, once written and if the agent knows all of it: it counts as read. */ hash?: string
  /** The agent has seen only a part of the content. */ part?: true
  /** The path it had before it was moved. */ from?: string
  /** The file is removed. */ deleted?: true
}

/** A file before and after a call; with line feeds only. */
export interface ProposedText {
  path: string
  /** Undefined: the call creates the file. */ before?: string
  after: string
}

/** What an approval card shows before a call and a tool card shows after it. Plain data for the interface only. */
export type Preview =
  | ({ kind: 'diff' } & FileDiff)
  /** Several files that one call changes. */
  | { kind: 'diffs'; files: FileDiff[] }
  | {
      kind: 'command'
      command: string
      cwd: string
      description?: string
      /** It runs in the background, with this timeout; `null`: without a limit. */ background?: {
        timeoutMs: number | null
      }
    }
  | { kind: 'text'; text: string }
  /** A calendar event; `file`: it was created. */
  | { kind: 'event'; event: CalendarEvent; file?: { path: string; text: string; opened: boolean } }
  /** A call of a tool of an MCP server. */
  | {
      kind: 'call'
      server: string
      tool: string
      /** The server's display name for it. */ title?: string
      arguments: CallArgument[]
      /** Number of omitted characters. */ left?: number
      /** Unified diff of the tool's description and input, if they have changed since the user allowed the tool. */
      change?: string
    }
  | {
      kind: 'plan'
      /** Its file. */ path: string
      revision: number
      /** Markdown. */ text: string
      /** Unified diff from the previous revision; absent for the first. */ diff?: string
      /** Alternatives, of which the user approves one; empty: the plan is approved as a whole. */
      alternatives: PlanAlternative[]
    }
  | { kind: 'questions'; questions: Question[] }
  | {
      kind: 'form'
      /** The MCP server that asks. */ server: string
      /** Its message. */ message: string
      fields: FormField[]
    }
  /** What the sandbox of a command blocked; `output` is the end of the command's output. */
  | { kind: 'sandbox'; command: string; sandbox: CommandSandbox; denied: SandboxDenial; output: string }
  /**
   * An http or https page that a server asks to open. `opened`: it was opened; Trestle now waits until the user is done
   * there.
   */
  | { kind: 'link'; server: string; message: string; url: string; opened?: true }
  | {
      kind: 'sampling'
      server: string
      /** What would be sent to the model; pictures are only mentioned. */
      system?: string
      messages: { role: 'user' | 'assistant'; text: string }[]
      maxTokens: number
      /** The model's answer: the server gets it when the user allows that. */
      answer?: { model: string; text: string }
    }

/** An argument for display: text unchanged, anything else as JSON; hidden characters are made visible. */
export interface CallArgument {
  name: string
  text: string
}

/** What an expanded tool card shows. */
export type ToolDetails =
  | Preview
  | {
      kind: 'file'
      path: string
      /** First line shown. */ line: number
      lines: number
      text?: string
      /** SHA-256 of the whole content read. */ hash?: string
      /** Not all of it was shown. */ part?: true
      /** Lines of the whole file, if a part of them was shown, each in full. */ total?: number
    }
  | {
      kind: 'output'
      taskId: string
      command: string
      exitCode?: number
      durationMs: number
      /** Tail of the plain text. */ text: string
      outputPath: string
      truncated: boolean
      /** The sandbox it ran in. */ sandbox?: CommandSandbox
    }
  /** A background task, in its state when the call returned. */
  | {
      kind: 'task'
      task: Task
      /** Tail of the plain text. */ text: string
      truncated: boolean
      /** The call put it in the background: started it, or moved it. */ started?: 'started' | 'moved'
      /** The result reported its end to the agent: no notification follows. */ told?: true
    }
  | { kind: 'tasks'; tasks: Task[] }
  /** An address for the user's screen; if not `opened`, the user follows it as a link. */
  | { kind: 'open'; address: string; target: 'url' | 'file'; opened: boolean }
  /** A subagent that a call has waited for, in its final state. */
  | { kind: 'agent'; agentId: string; agentType: string; status: Task['status']; /** Its last message. */ text: string }
  | {
      kind: 'matches'
      pattern: string
      /** Paths with their lines; `lines` is empty if only names were requested. */ files: {
        path: string
        count?: number
        lines: { line: number; text: string }[]
      }[]
      total: number
      truncated: boolean
    }
  | {
      kind: 'entries'
      path: string
      entries: { name: string; type: 'file' | 'dir' | 'link' | 'other'; size?: number }[]
    }
  | { kind: 'media'; path: string; mediaType: string; bytes: number; width?: number; height?: number }
  | {
      kind: 'page'
      /** After redirects. */ url: string
      title?: string
      /** Whether it was reduced to its main article. */ extracted: boolean
      bytes: number
      /** Its start. */ text: string
    }
  | {
      kind: 'decision'
      revision: number
      /** Markdown. */ text: string
      decision: PlanDecision
      choice?: string
    }
  | { kind: 'answers'; questions: Question[]; /** Absent when it was dismissed. */ answers?: QuestionAnswer[] }
  /** A message for an earlier checkpoint: it is sent when the call has returned. */
  | { kind: 'd-mail'; checkpoint: number; message: string; files: boolean }
  /** Tools that a search has loaded: the session has them from here on. */
  | {
      kind: 'tools'
      /** The keywords, or the id that was asked for. */ query: string
      tools: {
        /** `server::tool` */ id: string
        /** As the model calls it. */ name: string
        description: string
        /** Digest of the part in the result; absent in logs from before results had all of it. */ digest?: string
      }[]
    }
  /** What a tool of an MCP server returned; its text and pictures are the result itself. */
  | { kind: 'server'; server: string; tool: string; links: ServerLink[] }
  | { kind: 'hits'; query: string; hits: { title: string; url: string; snippet: string }[] }
  | { kind: 'todos'; todos: { title: string; status: 'pending' | 'in_progress' | 'done' }[] }

/** A resource that a server's answer points to. It is shown, not fetched. */
export interface ServerLink {
  uri: string
  name: string
  description?: string
  mediaType?: string
}

/** The files that a call changed or would change; empty for other details. */
export function fileDiffs(details: ToolDetails | undefined): readonly FileDiff[] {
  if (details?.kind === 'diff') return [details]
  return details?.kind === 'diffs' ? details.files : []
}

/** Total lines added and removed in all files; undefined when no file is changed. */
export function changedLines(details: ToolDetails | undefined): { added: number; removed: number } | undefined {
  const files = fileDiffs(details)
  if (files.length === 0) return undefined
  const sum = (count: (file: FileDiff) => number): number => files.reduce((total, file) => total + count(file), 0)
  return { added: sum((file) => file.added), removed: sum((file) => file.removed) }
}

/** The name of a file in its diff: relative to the project if it is inside it. */
export function nameInDiff({ diff, path }: Pick<FileDiff, 'diff' | 'path'>): string {
  const [before = '', after = ''] = diff.split('\n', 2)
  return /^\+\+\+ b\/(.+)$/.exec(after)?.[1] ?? /^--- a\/(.+)$/.exec(before)?.[1] ?? path
}
