import { useQuery } from '@tanstack/react-query'
import type { TrestleClient } from '../../../shared/contract'
import type { TerminalPush, UserTerminal } from '../../../shared/model/task/terminal'
import { keepSubscribed, type SubscribeOptions } from '../../client/subscriptions'
import { useQueries } from '../page/queries'
import { showFailureToast } from '../page/toasts-state'
import { openPane } from '../panes/panes-state'
import { collectKeys, keepTypedFor } from './typed-ahead'

/** Size of a new terminal until its view has measured itself. */
const FIRST_SIZE = { cols: 80, rows: 24 }

/** The user's terminals of a session; undefined while they are loading. */
export function useUserTerminals(sessionId: string): UserTerminal[] | undefined {
  const queries = useQueries()
  const { data } = useQuery(queries.terminal.list.queryOptions({ input: { sessionId } }))
  return data
}

/**
 * Opens a new terminal in the folder of a session, in a pane beside its conversation. Text typed until it is ready goes
 * to its shell.
 */
export function openNewTerminal(client: TrestleClient, sessionId: string): void {
  const typed = collectKeys()
  const open = async (): Promise<void> => {
    const { terminalId } = await client.terminal.open({ sessionId, ...FIRST_SIZE })
    keepTypedFor(terminalId, typed)
    openPane(sessionId, { kind: 'terminal', terminalId })
  }
  open().catch((error: unknown) => {
    typed.end()
    showFailureToast(error)
  })
}

/** The name of a terminal: the title its program set, or the name of its shell. */
export function terminalName({ title, shell }: Pick<UserTerminal, 'title' | 'shell'>): string {
  return title ?? shell.split(/[\\/]/).at(-1) ?? shell
}

/** The name with a number, if several have it: `bash 2`. */
export function numberedName(terminal: UserTerminal, all: readonly UserTerminal[]): string {
  const name = terminalName(terminal)
  const same = all.filter((other) => terminalName(other) === name).toSorted((a, b) => a.startedAt - b.startedAt)
  return same.length > 1
    ? `${name} ${same.findIndex(({ terminalId }) => terminalId === terminal.terminalId) + 1}`
    : name
}

/** Follows a terminal across disconnects, until it is closed. */
export function subscribeTerminal(
  client: TrestleClient,
  terminalId: string,
  onPush: (push: TerminalPush) => void,
  options: SubscribeOptions = {},
): () => void {
  return keepSubscribed<TerminalPush>(
    (signal) => client.push.terminal({ terminalId }, { signal }),
    (push) => {
      onPush(push)
      return true
    },
    options,
  )
}
