import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import type { McpImportPreview, McpImportServer } from '../../../../shared/model/mcp-import'
import { failureFrom } from '../../../client/failure-from'
import { shortPath } from '../../../state/folder-name'
import { useQueries } from '../../../state/trestle-context'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { ErrorNote } from '../../../ui/error-note'
import { Skeleton } from '../../../ui/skeleton'
import { TextAreaField } from '../../../ui/text-area-field'
import { FoundServer } from './found-server'
import { beginsPicked, picksProblem, startPick, type Pick } from './import-picks'
import { useMcpChange } from '../use-mcp'

interface ImportDialogProps {
  folder: string | undefined
  userHome: string | undefined
  /** From text that is pasted here, not from files of other products. */
  pasted: boolean
  onClose: () => void
  onImported: (count: number) => void
}

/** Shows what could be taken over, and takes over what is chosen. Nothing is written before that. */
export function ImportDialog({ folder, userHome, pasted, onClose, onImported }: ImportDialogProps) {
  const queries = useQueries()
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text)
  const [picks, setPicks] = useState<ReadonlyMap<string, Pick>>(new Map())
  const files = useQuery(
    queries.mcp.imports.queryOptions({ input: folder === undefined ? {} : { folder }, enabled: !pasted, staleTime: 0, gcTime: 0 }),
  )
  const paste = useQuery(
    queries.mcp.previewImport.queryOptions({
      input: { text: wanted },
      enabled: pasted && wanted.trim() !== '',
      placeholderData: (before) => before,
      gcTime: 0,
    }),
  )
  const found = pasted ? (wanted.trim() === '' || !paste.data ? [] : [paste.data]) : files.data
  const error = pasted ? paste.error : files.error
  const take = useMcpChange(
    async (mcp, chosen: { preview: McpImportPreview; servers: { server: McpImportServer; pick: Pick }[] }[]) => {
      for (const { preview, servers } of chosen) {
        await mcp.import({
          sourceId: preview.sourceId,
          hash: preview.hash,
          ...(preview.sourceId === 'pasted' && { text: wanted }),
          servers: servers.map(({ server, pick }) => ({
            key: server.key,
            name: pick.name.trim(),
            ...(pick.replace && { replace: true }),
            values: pick.values,
          })),
        })
      }
    },
    { quiet: true },
  )

  const pickOf = (preview: McpImportPreview, server: McpImportServer): Pick =>
    picks.get(keyOf(preview, server)) ?? startPick(server, beginsPicked(preview, server, { pasted, folder }))
  const chosen = (found ?? [])
    .map((preview) => ({
      preview,
      servers: preview.servers.map((server) => ({ server, pick: pickOf(preview, server) })).filter(({ pick }) => pick.chosen),
    }))
    .filter(({ servers }) => servers.length > 0)
  const count = chosen.reduce((sum, { servers }) => sum + servers.length, 0)
  const problem = picksProblem(chosen.flatMap(({ servers }) => servers))

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      width={640}
      title={pasted ? 'Add from JSON' : 'Import servers'}
      description={
        pasted
          ? 'Paste the configuration from the server’s documentation, in the format of any app.'
          : 'From Claude Code, Claude Desktop, Cursor, VS Code, Codex and Kimi. Their files aren’t changed.'
      }
      footer={
        <>
          {problem !== undefined && <p className="mr-auto min-w-0 text-small text-fail-ink">{problem}</p>}
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            disabled={count === 0 || problem !== undefined}
            busy={take.isPending}
            onClick={() => take.mutate(chosen, { onSuccess: () => onImported(count) })}
          >
            {count === 0 ? 'Add' : count === 1 ? 'Add 1 server' : `Add ${count} servers`}
          </Button>
        </>
      }
    >
      <div className="space-y-4 pb-2">
        {pasted && (
          <TextAreaField
            label="JSON or TOML"
            mono
            rows={8}
            value={text}
            placeholder={'{ "mcpServers": { "name": { "command": "npx", "args": ["-y", "…"] } } }'}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        {take.error !== null && <ErrorNote failure={failureFrom(take.error)} />}
        {error ? (
          <ErrorNote failure={failureFrom(error)} />
        ) : found === undefined ? (
          <div role="status" aria-busy>
            <span className="sr-only">Looking for servers</span>
            <Skeleton className="h-20 w-full rounded-md" />
          </div>
        ) : (
          found.map((preview) => (
            <section key={`${preview.sourceId} ${preview.folder ?? ''}`} aria-label={preview.product}>
              {!pasted && (
                <p className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
                  <b className="font-semibold">{preview.product}</b>
                  {preview.folder !== undefined && <span className="text-small text-ink-2">for {shortPath(preview.folder, userHome)}</span>}
                  {preview.file !== undefined && (
                    <span className="min-w-0 font-mono text-tiny wrap-anywhere text-ink-3">{shortPath(preview.file, userHome)}</span>
                  )}
                </p>
              )}
              {preview.problems.map((reason) => (
                <p key={reason} className="text-ui wrap-anywhere text-fail-ink">
                  {reason}
                </p>
              ))}
              {preview.servers.length > 0 && (
                <ul className="overflow-hidden rounded-md border border-line">
                  {preview.servers.map((server) => (
                    <FoundServer
                      key={server.key}
                      server={server}
                      pick={pickOf(preview, server)}
                      onChange={(pick) => setPicks((before) => new Map(before).set(keyOf(preview, server), pick))}
                    />
                  ))}
                </ul>
              )}
            </section>
          ))
        )}
        {!pasted && found?.length === 0 && <EmptyState title="Nothing to import">No MCP servers found in other apps.</EmptyState>}
      </div>
    </Dialog>
  )
}

function keyOf(preview: McpImportPreview, server: McpImportServer): string {
  return `${preview.sourceId} ${preview.hash} ${server.key}`
}
