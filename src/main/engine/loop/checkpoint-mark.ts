import { textOf, type Message } from '../../../shared/model/message'

const MARK = /^\[checkpoint \d+\]$/

/**
 * Tells the model the number of the checkpoint that the history has come to, in a message of its own behind results, or what was said to the model: never
 * within a file's content or a command's output. It is put there before the request first goes out, so what providers have cached stays right. Nothing follows an answer or another mark.
 */
export function markCheckpoint(history: Message[], checkpoint: number): void {
  const last = history.at(-1)
  if (!last || last.role === 'assistant' || (last.role === 'user' && last.by === 'guard' && MARK.test(textOf(last.parts)))) return
  history.push({ role: 'user', parts: [{ type: 'text', text: `[checkpoint ${checkpoint}]` }], by: 'guard' })
}
