import type { Failure } from '../../../shared/model/errors'
import type { LiveEvent, SessionEvent } from '../../../shared/model/event'
import { isRecorded } from '../../../shared/model/event'
import { fellBackText } from '../../../shared/model/fell-back-text'
import { textOf, type Usage } from '../../../shared/model/message'
import type { StopReason } from '../../../shared/model/session'
import { toolLabel } from '../../../shared/model/tool-label'
import { oneLine } from '../../command-line/safe-text'
import type { Denial } from './denied-calls'
import type { OutputFormat } from './print-options'

/** How a printed turn ended: the object of `--output-format json` and the last line of `stream-json` (docs/print-mode.md). */
export interface PrintResult {
  type: 'result'
  /** Missing where the turn could not even begin. */
  sessionId?: string
  stop: StopReason
  /** The text of the last step. */
  answer: string
  failure?: Failure
  /** The closing answer of a turn that was ended is not counted. */
  steps: number
  /** The calls that were denied; empty: none. */
  denials: Denial[]
  durationMs: number
  usage: Usage
}

type Delta = Extract<LiveEvent, { type: 'text.delta' | 'thinking.delta' | 'tool.progress' }>

export interface PrintOutput {
  event(event: SessionEvent): void
  /** Resolves when everything is written. */
  finish(result: PrintResult): Promise<void>
  /** The text of the last finished step. */
  answer(): string
}

/** Writes a turn in one of the three formats. Nothing else may write to `out`. */
export function createPrintOutput(format: OutputFormat, out: NodeJS.WritableStream, progress?: NodeJS.WritableStream): PrintOutput {
  let answer = ''
  let pending: Delta[] = []
  let scheduled = false
  const line = (value: object): void => {
    out.write(`${JSON.stringify(value)}\n`)
  }
  const flush = (): void => {
    scheduled = false
    const deltas = pending
    pending = []
    for (const delta of deltas) line(delta)
  }
  const stream = (event: SessionEvent): void => {
    if (isRecorded(event)) {
      flush()
      line(event)
    } else if (event.type !== 'tool.drafting') {
      merge(pending, event)
      if (!scheduled) setImmediate(flush)
      scheduled = true
    }
  }
  return {
    event(event) {
      if (event.type === 'step.finished') answer = textOf(event.parts)
      if (format === 'stream-json') stream(event)
      if (event.type === 'tool.started') progress?.write(`· ${oneLine(`${toolLabel(event.name)} ${event.summary}`)}\n`)
      if (event.type === 'model.fell_back' && !event.quiet) progress?.write(`· ${fellBackText(event)}\n`)
      if (event.type === 'step.retried')
        progress?.write(`· ${event.failure.title}; attempt ${event.attempt + 1} of ${event.of} in ${(event.delayMs / 1000).toFixed(1)} s\n`)
    },
    answer: () => answer,
    async finish(result) {
      flush()
      if (format === 'text') {
        if (result.answer !== '') out.write(result.answer.endsWith('\n') ? result.answer : `${result.answer}\n`)
      } else {
        line(result)
      }
      await new Promise<void>((resolve) => {
        out.write('', () => resolve())
      })
    },
  }
}

/** Deltas that came between two flushes become one line per part. */
function merge(pending: Delta[], event: Delta): void {
  const last = pending.at(-1)
  if (last && last.type === event.type && idOf(last) === idOf(event))
    pending[pending.length - 1] = { ...last, text: last.text + event.text }
  else pending.push(event)
}

function idOf(delta: Delta): string {
  return delta.type === 'tool.progress' ? delta.callId : delta.stepId
}
