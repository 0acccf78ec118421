import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ServerToolsCost, ToolsView } from '../../../shared/model/tools-view'
import { failureFrom } from '../../client/failure-from'
import { kilobytes } from '../../state/kilobytes'
import { useClient } from '../../state/trestle-context'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { ErrorNote } from '../../ui/error-note'
import { Skeleton } from '../../ui/skeleton'
import { TextField } from '../../ui/text-field'
import { ToolGroupView } from './tool-group'
import { sentWithRequests, toolGroups } from './tool-groups'

/** From so many tools on they can be filtered, and groups begin folded. */
const MANY = 30

export interface ToolsDialogProps {
  sessionId: string
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Every tool of a session with what it takes of a request; `/tools` opens it. */
export function ToolsDialog({ sessionId, open, onOpenChange }: ToolsDialogProps) {
  const client = useClient()
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [['mcp'], 'tools', sessionId],
    queryFn: () => client.session.tools({ sessionId }),
    enabled: open,
    gcTime: 0,
    retry: false,
  })
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Tools"
      description={data ? <Summary view={data} /> : 'What the agent can call.'}
      width={680}
    >
      {data ? (
        <ToolList view={data} />
      ) : error ? (
        <ErrorNote
          failure={failureFrom(error)}
          actions={
            <Button size="small" busy={isFetching} onClick={() => void refetch()}>
              Try again
            </Button>
          }
        />
      ) : (
        <div className="space-y-2" aria-label="Loading">
          <Skeleton className="h-9 w-full rounded-lg" />
          <Skeleton className="h-9 w-full rounded-lg" />
        </div>
      )}
    </Dialog>
  )
}

function Summary({ view: { tools, cost } }: { view: ToolsView }) {
  const sent = sentWithRequests(toolGroups(tools, ''))
  const off = tools.filter(({ state }) => state === 'off').length
  return (
    <>
      {sent.tools === 1 ? '1 tool is' : `${sent.tools} tools are`} sent with every request, about {sent.tokens.toLocaleString()} tokens.{' '}
      {off > 0 && `${off} ${off === 1 ? 'is' : 'are'} off. `}
      {cost?.isSearching && <Searching cost={cost} />}
    </>
  )
}

function Searching({ cost: { tools, sent, bytesAll, bytesSent } }: { cost: ServerToolsCost }) {
  return (
    <>
      Tool search is on: {(tools - sent).toLocaleString()} more are only listed until the agent asks for them. MCP tools take{' '}
      {kilobytes(bytesSent)} of each request instead of {kilobytes(bytesAll)}.
    </>
  )
}

function ToolList({ view: { tools } }: { view: ToolsView }) {
  const [query, setQuery] = useState('')
  const groups = toolGroups(tools, query)
  return (
    <>
      {tools.length > MANY && (
        <TextField
          label="Filter tools"
          hideLabel
          type="search"
          placeholder="Filter tools"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="mb-2"
        />
      )}
      {groups.length === 0 ? (
        <p className="py-6 text-center text-ui text-ink-2">No tool matches {query.trim()}.</p>
      ) : (
        <div className="overflow-hidden rounded-lg border border-line">
          {groups.map((group) => (
            // A query opens what it has found.
            <ToolGroupView
              key={`${group.server ?? ''}\n${query === ''}`}
              group={group}
              open={query !== '' || tools.length <= MANY || groups.length === 1}
            />
          ))}
        </div>
      )}
    </>
  )
}
