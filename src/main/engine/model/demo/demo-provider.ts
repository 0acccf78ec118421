import { setTimeout as pause } from 'node:timers/promises'
import { isSummaryRequest } from '../../context/compaction/summary-request'
import { demoAnswer, demoSummary } from './demo-script'
import type { ModelChunk, Provider } from '../provider'

/** About what a quick model does; slow enough to be seen as streaming. */
const PACE_MS = 25
/** Characters of arguments per chunk. */
const DRAFT_CHARS = 40

/**
 * The demo model: plays `resources/demo/script.toml` through the tools it is offered, one step per request, and knows where it is from its own calls in the
 * conversation. It never claims to be a model, and reports no tokens, for there are none.
 */
export function createDemoProvider(options: { paceMs?: number } = {}): Provider {
  const paceMs = options.paceMs ?? PACE_MS
  return {
    async *stream(request, signal) {
      const beat = async (): Promise<void> => {
        signal.throwIfAborted()
        if (paceMs > 0) await pause(paceMs, undefined, { signal })
      }
      const answer = isSummaryRequest(request)
        ? { step: 'summary', think: '', say: demoSummary(), calls: [] }
        : demoAnswer(request.messages, request.toolChoice === 'none' ? [] : request.tools.map((tool) => tool.name))
      for (const word of wordsOf(answer.think)) {
        await beat()
        yield { type: 'thinking', text: word }
      }
      if (answer.think) yield { type: 'thinking.end' }
      for (const word of wordsOf(answer.say)) {
        await beat()
        yield { type: 'text', text: word }
      }
      const metadata = { demo: { step: answer.step } }
      if (answer.say) yield { type: 'text.end', metadata }
      for (const [index, call] of answer.calls.entries()) {
        const callId = `demo.${answer.step}.${index + 1}`
        const input = JSON.stringify(call.input)
        for (let at = 0; at < input.length; at += DRAFT_CHARS) {
          await beat()
          yield { type: 'tool.draft', callId, name: call.tool, text: input.slice(at, at + DRAFT_CHARS) }
        }
        yield {
          type: 'tool.call',
          callId,
          name: call.tool,
          input,
          metadata: { demo: { ...metadata.demo, as: call.as } },
        } satisfies ModelChunk
      }
      await beat()
      yield { type: 'finish', reason: answer.calls.length > 0 ? 'tool_calls' : 'stop' }
    },
  }
}

/** Words with the blanks behind them, so that joined they are the text again. */
function wordsOf(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? []
}
