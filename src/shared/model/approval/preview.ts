import type { CalendarEvent } from './calendar-event'
import type { FormField, Question, QuestionAnswer } from './form'
import type { PlanAlternative, PlanDecision } from '../turn/plan'
import type { CommandSandbox, SandboxDenial } from '../task/sandbox'
import type { Task } from '../task/task'

/** What a call changes in one file, or has changed. */
export interface FileDiff {
  path: string
  /** Unified diff with 3 lines of context. */ diff: string
  added: number
  removed: number
  note?: string
  /** SHA-256 of the new content, once written and when the agent knows all of it: it counts as read. */ hash?: string
  /** The agent has been shown only a part of the content. */ part?: true
  /** The path it had before it was moved. */ from?: string
  /** The file is removed. */ deleted?: true
}

/** A file as it is, and as a call would leave it; with line feeds only. */
export interface ProposedText {
  path: string
  /** Undefined: the call makes the file. */ before?: string
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
      /** It runs in the background, at most so long; `null`: as long as it likes. */ background?: {
        timeoutMs: number | null
      }
    }
  | { kind: 'text'; text: string }
  /** An event of a calendar; `file`: it was made. */
  | { kind: 'event'; event: CalendarEvent; file?: { path: string; text: string; opened: boolean } }
  /** A call of a tool of an MCP server. */
  | {
      kind: 'call'
      server: string
      tool: string
      /** The server's display name for it. */ title?: string
      arguments: CallArgument[]
      /** Number of characters that are left out. */ left?: number
      /**
       * Unified diff of the tool's description and input, where they are not what they were when the user allowed the
       * tool.
       */
      change?: string
    }
  | {
      kind: 'plan'
      /** Its file. */ path: string
      revision: number
      /** Markdown. */ text: string
      /** Unified diff to the revision before; absent for the first. */ diff?: string
      /** Alternatives, of which the user approves one; empty: the plan is approved as a whole. */
      alternatives: PlanAlternative[]
    }
  | { kind: 'questions'; questions: Question[] }
  | {
      kind: 'form'
      /** The MCP server that asks. */ server: string
      /** Its words. */ message: string
      fields: FormField[]
    }
  /** What the sandbox of a command refused; `output` is the end of what the command printed. */
  | { kind: 'sandbox'; command: string; sandbox: CommandSandbox; denied: SandboxDenial; output: string }
  /**
   * A page of http or https that a server wants opened. `opened`: it was; now it is waited until the user is done
   * there.
   */
  | { kind: 'link'; server: string; message: string; url: string; opened?: true }
  | {
      kind: 'sampling'
      server: string
      /** What the model would be sent; of a picture, that there is one. */
      system?: string
      messages: { role: 'user' | 'assistant'; text: string }[]
      maxTokens: number
      /** What the model has answered: the server gets it when it is allowed. */
      answer?: { model: string; text: string }
    }

/**
 * An argument as people read it: a text as it is, anything else as JSON; what a screen would not show is written out.
 */
export interface CallArgument {
  name: string
  text: string
}

/** What a tool card shows when it is opened. */
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
      /** Lines of the whole, where a part of them was shown, each from its beginning to its end. */ total?: number
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
      /** What it could reach. */ sandbox?: CommandSandbox
    }
  /** A task in the background, as it stood when the call returned. */
  | {
      kind: 'task'
      task: Task
      /** Tail of the plain text. */ text: string
      truncated: boolean
      /** The call brought it here: started it, or moved it. */ started?: 'started' | 'moved'
      /** The result told the agent of its end: no notification follows. */ told?: true
    }
  | { kind: 'tasks'; tasks: Task[] }
  /** An address for the user's screen; not `opened`: the user follows it as a link. */
  | { kind: 'open'; address: string; target: 'url' | 'file'; opened: boolean }
  /** A subagent that a call has waited for, as it ended. */
  | { kind: 'agent'; agentId: string; agentType: string; status: Task['status']; /** Its last message. */ text: string }
  | {
      kind: 'matches'
      pattern: string
      /** Paths with their lines; `lines` is empty when only names were asked for. */ files: {
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
      /** Whether it was reduced to its article. */ extracted: boolean
      bytes: number
      /** Its beginning. */ text: string
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

/** The files that a call changed or would change; none for other details. */
export function fileDiffs(details: ToolDetails | undefined): readonly FileDiff[] {
  if (details?.kind === 'diff') return [details]
  return details?.kind === 'diffs' ? details.files : []
}

/** Lines added and removed in all files together; undefined when no file is changed. */
export function changedLines(details: ToolDetails | undefined): { added: number; removed: number } | undefined {
  const files = fileDiffs(details)
  if (files.length === 0) return undefined
  const sum = (count: (file: FileDiff) => number): number => files.reduce((total, file) => total + count(file), 0)
  return { added: sum((file) => file.added), removed: sum((file) => file.removed) }
}

/** The name of a file as its diff gives it: relative to the project where it lies in it. */
export function nameInDiff({ diff, path }: Pick<FileDiff, 'diff' | 'path'>): string {
  const [before = '', after = ''] = diff.split('\n', 2)
  return /^\+\+\+ b\/(.+)$/.exec(after)?.[1] ?? /^--- a\/(.+)$/.exec(before)?.[1] ?? path
}
