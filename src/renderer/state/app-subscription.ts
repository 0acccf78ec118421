import type { QueryClient } from '@tanstack/react-query'
import { subscribeApp } from '../client/subscribe-app'
import type { TrestleClient } from '../../shared/contract'
import { TaskFollower } from './follow-tasks'
import { obeyHost } from './host-commands'
import { useInbox } from './inbox-state'
import { tellNotice } from './toasts-state'
import { useSessions, withListPush } from './sessions-state'
import { useLayout } from './layout-state'

/**
 * Keeps the session list true to the engine, and has settings asked for again when they changed. What may have changed unseen while the
 * connection was lost is asked for again too. Returns how to stop.
 */
export function followApp(client: TrestleClient, queryClient: QueryClient): () => void {
  const tasks = new TaskFollower(client)
  /** What the list that a subscription begins with has named so far; undefined once all of it has come. */
  let named: Set<string> | undefined = new Set()
  let starts = 0
  return subscribeApp(
    client,
    (push) => {
      switch (push.type) {
        case 'sessions':
          for (const { sessionId } of push.changed) named?.add(sessionId)
          useSessions.setState((state) => withListPush(state, push, named))
          if (!push.more) named = undefined
          for (const sessionId of push.removed) useLayout.getState().forgetSession(sessionId)
          break
        case 'tasks':
          tasks.changed(push.changed, push.removed)
          break
        case 'inbox':
          useInbox.setState({ entries: push.entries, loaded: true })
          break
        case 'trust':
          void queryClient.invalidateQueries({ queryKey: [['trust']] })
          break
        case 'mcp':
          void queryClient.invalidateQueries({ queryKey: [['mcp']] })
          break
        case 'settings':
        case 'models':
          void queryClient.invalidateQueries({ queryKey: [['settings', 'get']] })
          break
        case 'command':
          obeyHost(push.command, queryClient)
          break
        case 'notice':
          // What is wrong with servers is above the conversation.
          if (push.about === undefined) tellNotice(push.text, push.tone)
          break
        case 'heartbeat':
          break
      }
    },
    {
      onStart: () => {
        named = new Set()
        starts += 1
        void tasks.begin()
        if (starts > 1) void queryClient.invalidateQueries()
      },
    },
  )
}
