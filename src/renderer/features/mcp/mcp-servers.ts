import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TrestleClient } from '../../../shared/contract'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient, useQueries } from '../../state/page/queries'
import type { McpServerState, McpServerView, McpTransport } from '../../../shared/configuration/customize/mcp'
import type { Tone, DotStatus } from '../../ui/badge'

/** The servers available in a folder; read again when the engine reports a change. */
export function useMcpList(folder: string | undefined) {
  const queries = useQueries()
  return useQuery(
    queries.mcp.list.queryOptions({
      input: folder === undefined ? {} : { folder },
      staleTime: Infinity,
      refetchOnWindowFocus: 'always',
      placeholderData: (before) => before,
    }),
  )
}

/** An action on servers; afterwards the lists are read again. Shows failures, unless the caller does. */
export function useMcpChange<Input, Output>(
  run: (mcp: TrestleClient['mcp'], input: Input) => Promise<Output>,
  { quiet = false } = {},
) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => run(client.mcp, input),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [['mcp']] }),
    ...(!quiet && { onError: showFailureToast }),
  })
}

/** The color and label of each state. */
export const SERVER_STATE_LABELS: Record<McpServerState, { dot: DotStatus; tone: Tone; word: string }> = {
  disabled: { dot: 'idle', tone: 'plain', word: 'off' },
  asked: { dot: 'waiting', tone: 'wait', word: 'needs approval' },
  idle: { dot: 'idle', tone: 'plain', word: 'starts when needed' },
  starting: { dot: 'running', tone: 'run', word: 'starting' },
  ready: { dot: 'done', tone: 'done', word: 'connected' },
  sign_in: { dot: 'waiting', tone: 'wait', word: 'sign-in required' },
  reconnecting: { dot: 'running', tone: 'run', word: 'reconnecting' },
  failed: { dot: 'failed', tone: 'fail', word: 'failed' },
}

export const TRANSPORT_LABELS: Record<McpTransport, string> = { stdio: 'stdio', http: 'HTTP', sse: 'SSE' }

/** Tokens of a server's enabled tools in every request. */
export function tokensOf({ tools }: Pick<McpServerView, 'tools'>): number {
  return tools.reduce((sum, tool) => sum + (tool.enabled && tool.problem === undefined ? tool.tokens : 0), 0)
}

/** `3 of 12 tools`, `1 tool`, or empty when unknown. */
export function toolCountText({ tools }: Pick<McpServerView, 'tools'>): string | undefined {
  if (tools.length === 0) return undefined
  const on = tools.filter((tool) => tool.enabled && tool.problem === undefined).length
  const all = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`
  return on === tools.length ? all : `${on} of ${all}`
}

/** The URL by which a user recognizes a sign-in. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
