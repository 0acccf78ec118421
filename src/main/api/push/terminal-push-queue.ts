import type { AsyncIteratorClass } from '@orpc/server'
import type { TerminalPush, UserTerminal } from '../../../shared/model/task/terminal'
import type { Engine } from '../../engine/engine-api'
import { MAX_PENDING_CHARS, ThrottledQueue, type TaskSubscription } from './task-push-queue'

/**
 * One of the user's terminals for one client: output is merged once per frame, and bounded however slow the client is.
 * Fails when the terminal is closed.
 */
export function terminalPushes(
  terminals: Pick<Engine['terminals'], 'view'>,
  terminalId: string,
  subscription: TaskSubscription = {},
): AsyncIteratorClass<TerminalPush, undefined, void> {
  const handover = new ThrottledQueue<TerminalPush>(subscription)
  let start: TerminalPush | undefined
  let text = ''
  let terminal: UserTerminal | undefined
  let failure: Error | undefined
  let stopViewing: (() => void) | undefined
  const onPush = (push: TerminalPush): void => {
    if (push.type === 'start') [start, text, terminal] = [push, '', undefined]
    else if (push.type === 'terminal') terminal = push.terminal
    else if (text.length + push.text.length <= MAX_PENDING_CHARS) text += push.text
    else {
      text = ''
      view()
    }
    handover.wake()
  }
  const view = (): void => {
    stopViewing?.()
    stopViewing = terminals.view(terminalId, {
      push: onPush,
      end(error) {
        failure = error
        handover.wake()
      },
    })
  }
  view()
  handover.onEnd(() => stopViewing?.())
  return handover.iterator(() => {
    const [started, output, changed] = [start, text, terminal]
    if (started) {
      start = undefined
      return started
    }
    if (output !== '') {
      text = ''
      return { type: 'output', text: output }
    }
    terminal = undefined
    if (changed) return { type: 'terminal', terminal: changed }
    if (failure) throw failure
    return undefined
  }, subscription.mapError)
}
