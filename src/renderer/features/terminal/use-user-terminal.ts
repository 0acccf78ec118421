import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import type { Failure } from '../../../shared/errors'
import type { UserTerminal } from '../../../shared/model/task/terminal'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { subscribeTerminal } from '../../state/tasks/user-terminals'
import { LiveTerminal } from './live-terminal'
import { KeySender } from './terminal-keys'
import { loadXterm } from './xterm-setup'

/** While a view is being resized, the shell gets only the final size. */
const SIZE_DELAY_MS = 60

export interface UserTerminalView {
  terminal: RefObject<LiveTerminal | undefined>
  /** Its current state; undefined while it is opening. */
  info: UserTerminal | undefined
  failure: Failure | undefined
  matches: { index: number; count: number } | undefined
  /** Types for the user, e.g. the path of a dropped file. */
  type: (text: string) => void
}

/** Shows a terminal of the user's in `box` while the component is mounted. */
export function useUserTerminal(
  terminalId: string,
  box: RefObject<HTMLElement | null>,
  { onFind, onOpenLink }: { onFind: () => void; onOpenLink: (url: string) => void },
): UserTerminalView {
  const client = useClient()
  const terminal = useRef<LiveTerminal>(undefined)
  const sender = useRef<KeySender>(undefined)
  const [info, setInfo] = useState<UserTerminal>()
  const [failure, setFailure] = useState<Failure>()
  const [matches, setMatches] = useState<UserTerminalView['matches']>()
  const find = useEffectEvent(onFind)
  const openLink = useEffectEvent(onOpenLink)

  useEffect(() => {
    let gone = false
    let stop = (): void => undefined
    let sizeTimer: ReturnType<typeof setTimeout> | undefined
    const keys = new KeySender((data) => client.terminal.input({ terminalId, data }), showFailureToast)
    sender.current = keys
    const fail = (reason: Failure): void => {
      if (!gone) setFailure(reason)
    }
    const sendSize = (cols: number, rows: number): void => {
      clearTimeout(sizeTimer)
      sizeTimer = setTimeout(() => {
        // The subscription reports failures.
        if (!gone) client.terminal.resize({ terminalId, cols, rows }).catch(() => undefined)
      }, SIZE_DELAY_MS)
    }
    const show = async (): Promise<void> => {
      const xterm = await loadXterm()
      if (gone || !box.current) return
      const view = new LiveTerminal(box.current, xterm, {
        onSize: sendSize,
        onType: (data) => keys.type(data),
        onLeave: () => undefined,
        onFind: () => find(),
        onFollow: () => undefined,
        onTop: () => undefined,
        onMatches: setMatches,
        onOpenLink: (url) => openLink(url),
      })
      terminal.current = view
      stop = subscribeTerminal(
        client,
        terminalId,
        (push) => {
          if (push.type === 'output') return view.write(push.text)
          setInfo(push.terminal)
          setFailure(undefined)
          view.show({ canType: push.terminal.status === 'running', screenReader: false })
          if (push.type === 'start') view.start(push.text, push.sizes)
        },
        { onFailure: fail },
      )
    }
    void show().catch((error: unknown) => fail(failureFrom(error)))
    return () => {
      gone = true
      clearTimeout(sizeTimer)
      stop()
      terminal.current?.dispose()
      terminal.current = undefined
    }
  }, [client, terminalId, box])

  return { terminal, info, failure, matches, type: (text) => sender.current?.type(text) }
}
