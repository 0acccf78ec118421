import { useCallback, useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import type { Failure } from '../../../shared/errors'
import { failureFrom } from '../../client/failure-from'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient } from '../../state/page/queries'
import { LiveTerminal } from './live-terminal'
import { loadXterm } from './xterm-setup'
import { KeySender, typedLength } from './terminal-keys'
import type { TrestleClient } from '../../../shared/contract'
import type { TaskPush } from '../../../shared/events/push'
import { type SubscribeOptions, keepSubscribed } from '../../client/subscriptions'

/** Bytes loaded when the user scrolls to the beginning of the loaded output. */
const OLDER_BYTES = 256 * 1024

export interface LiveTerminalView {
  terminal: RefObject<LiveTerminal | undefined>
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | undefined
  following: boolean
  matches: { index: number; count: number } | undefined
  /** Number of characters in the line being typed. Their text is stored nowhere. */
  typed: number
  /** Older output exists but is not in the terminal. */
  older: 'none' | 'some' | 'loading' | 'too-much'
}

interface Input {
  taskId: string
  box: RefObject<HTMLElement | null>
  growsTo: number | undefined
  canType: boolean
  screenReader: boolean
  onLeave: () => void
  onFind: () => void
  onOpenLink: (url: string) => void
}

/** Shows a task's terminal in `box` while the component is mounted, and sends the user's input. */
export function useLiveTerminal(input: Input): LiveTerminalView {
  const { taskId, box, growsTo, canType, screenReader } = input
  const client = useClient()
  const terminal = useRef<LiveTerminal>(undefined)
  const [status, setStatus] = useState<LiveTerminalView['status']>('loading')
  const [failure, setFailure] = useState<Failure>()
  const [following, setFollowing] = useState(true)
  const [matches, setMatches] = useState<LiveTerminalView['matches']>()
  const [typed, setTyped] = useState(0)
  const [older, setOlder] = useState<LiveTerminalView['older']>('none')
  const firstByte = useRef(0)
  const leave = useEffectEvent(input.onLeave)
  const find = useEffectEvent(input.onFind)
  const openLink = useEffectEvent(input.onOpenLink)

  const loadOlder = useCallback(async (): Promise<void> => {
    const view = terminal.current
    if (!view || firstByte.current <= 0) return
    if (view.isFull) {
      setOlder('too-much')
      return
    }
    setOlder('loading')
    try {
      const page = await client.task.output({ taskId, before: firstByte.current, bytes: OLDER_BYTES })
      await view.prepend(page.text)
      firstByte.current = page.dropped > 0 ? 0 : page.from
      setOlder(firstByte.current > 0 ? 'some' : 'none')
    } catch (error) {
      setOlder('some')
      showFailureToast(error)
    }
  }, [client, taskId])
  const atTop = useEffectEvent(() => {
    if (older === 'some') void loadOlder()
  })

  useEffect(() => {
    let gone = false
    let stop = (): void => undefined
    const sender = new KeySender((data) => client.task.input({ taskId, data }), showFailureToast)
    const show = async (): Promise<void> => {
      const xterm = await loadXterm()
      if (gone || !box.current) return
      const view = new LiveTerminal(box.current, xterm, {
        ...(growsTo !== undefined && { growsTo }),
        onType: (data) => {
          setTyped((before) => typedLength(before, data))
          sender.type(data)
        },
        onLeave: () => leave(),
        onFind: () => find(),
        onFollow: setFollowing,
        onTop: () => atTop(),
        onMatches: setMatches,
        onOpenLink: (url) => openLink(url),
      })
      terminal.current = view
      stop = subscribeTask(
        client,
        taskId,
        (push) => {
          if (push.type === 'output') view.write(push.text)
          else if (push.type === 'start') {
            firstByte.current = push.from
            setOlder(push.from > 0 ? 'some' : 'none')
            setStatus('ready')
            setFailure(undefined)
            view.start(push.text)
          }
        },
        { onFailure: fail },
      )
    }
    const fail = (reason: Failure): void => {
      if (gone) return
      setFailure(reason)
      setStatus('failed')
    }
    void show().catch((error: unknown) => fail(failureFrom(error)))
    return () => {
      gone = true
      stop()
      terminal.current?.dispose()
      terminal.current = undefined
    }
  }, [client, taskId, box, growsTo])

  const isReady = status === 'ready'
  useEffect(() => {
    if (isReady) terminal.current?.show({ canType, screenReader })
  }, [isReady, canType, screenReader])

  return { terminal, status, failure, following, matches, typed, older }
}

/**
 * Follows one task's terminal, across disconnects, until it has ended: after each disconnect its newest output starts
 * again with a `start`.
 */
function subscribeTask(
  client: TrestleClient,
  taskId: string,
  onPush: (push: TaskPush) => void,
  options: SubscribeOptions = {},
): () => void {
  let ended = false
  return keepSubscribed<TaskPush>(
    (signal) => (ended ? untilAborted(signal) : client.push.task({ taskId }, { signal })),
    (push) => {
      if (push.type !== 'output') ended = push.task.status !== 'running'
      onPush(push)
      return true
    },
    options,
  )
}

/** No more output: waits for the subscriber to leave. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('left')), { once: true })
  })
}
