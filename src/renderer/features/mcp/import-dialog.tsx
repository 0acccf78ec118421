import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState, useId } from 'react'
import type { McpImportPreview, McpImportServer } from '../../../shared/configuration/customize/mcp'
import { failureFrom } from '../../client/failure-from'
import { shortPath } from '../../format/folder-name'
import { useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Dialog } from '../../ui/overlay/dialog'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { TextAreaField, SelectField } from '../../ui/form/choice-fields'
import { useMcpChange } from './mcp-servers'
import { Badge, type Tone } from '../../ui/badge'
import { TextField } from '../../ui/form/field'

interface ImportDialogProps {
  folder: string | undefined
  userHome: string | undefined
  /** From pasted text, not from files of other products. */
  pasted: boolean
  onClose: () => void
  onImported: (count: number) => void
}

/** Previews the servers to import and imports the selected ones. Nothing is written before that. */
export function ImportDialog({ folder, userHome, pasted, onClose, onImported }: ImportDialogProps) {
  const queries = useQueries()
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text)
  const [picks, setPicks] = useState<ReadonlyMap<string, Pick>>(new Map())
  const files = useQuery(
    queries.mcp.imports.queryOptions({
      input: folder === undefined ? {} : { folder },
      enabled: !pasted,
      staleTime: 0,
      gcTime: 0,
    }),
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
    picks.get(keyOf(preview, server)) ?? startPick(server, isPickedByDefault(preview, server, { pasted, folder }))
  const chosen = (found ?? [])
    .map((preview) => ({
      preview,
      servers: preview.servers
        .map((server) => ({ server, pick: pickOf(preview, server) }))
        .filter(({ pick }) => pick.chosen),
    }))
    .filter(({ servers }) => servers.length > 0)
  const count = chosen.reduce((sum, { servers }) => sum + servers.length, 0)
  const problem = picksProblem(chosen.flatMap(({ servers }) => servers))
  const canPick = found?.some(({ servers }) => servers.some(({ state }) => state !== 'unusable')) ?? false
  const hasNothing = !pasted && found !== undefined && !canPick

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
          <p role="status" className={cx('mr-auto min-w-0 text-small', problem ? 'text-fail-ink' : 'text-ink-3')}>
            {problem ?? (canPick && count === 0 ? 'Select the servers to add.' : undefined)}
          </p>
          <Button variant={hasNothing ? 'default' : 'quiet'} onClick={onClose}>
            {hasNothing ? 'Close' : 'Cancel'}
          </Button>
          {!hasNothing && (
            <Button
              variant="primary"
              disabled={count === 0 || problem !== undefined}
              busy={take.isPending}
              onClick={() => take.mutate(chosen, { onSuccess: () => onImported(count) })}
            >
              {count === 0 ? 'Add' : count === 1 ? 'Add 1 server' : `Add ${count} servers`}
            </Button>
          )}
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
                  {preview.folder !== undefined && (
                    <span className="text-small text-ink-2">for {shortPath(preview.folder, userHome)}</span>
                  )}
                  {preview.file !== undefined && (
                    <span className="min-w-0 font-mono text-tiny wrap-anywhere text-ink-3">
                      {shortPath(preview.file, userHome)}
                    </span>
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
        {!pasted && found?.length === 0 && (
          <EmptyState title="Nothing to import">No MCP servers found in other apps.</EmptyState>
        )}
      </div>
    </Dialog>
  )
}

function keyOf(preview: McpImportPreview, server: McpImportServer): string {
  return `${preview.sourceId} ${preview.hash} ${server.key}`
}

const STATES: Record<McpImportServer['state'], { tone: Tone; word: string } | undefined> = {
  new: undefined,
  same: { tone: 'plain', word: 'already added' },
  clash: { tone: 'wait', word: 'name already used' },
  unusable: { tone: 'fail', word: 'cannot be used' },
}

interface FoundServerProps {
  server: McpImportServer
  pick: Pick
  onChange: (pick: Pick) => void
}

/** One server to import: what it would do, and the choices for it. */
function FoundServer({ server, pick, onChange }: FoundServerProps) {
  const id = useId()
  const { name, lines, notes, state, inputs, freeName } = server
  const mark = STATES[state]
  return (
    <li className="border-t border-line px-3 py-2 first:border-t-0">
      <div className="flex items-start gap-2.5">
        <input
          id={id}
          type="checkbox"
          checked={pick.chosen}
          disabled={state === 'unusable'}
          onChange={(event) => onChange({ ...pick, chosen: event.target.checked })}
          className="mt-[4px] size-[14px] flex-none accent-ink"
        />
        <div className="min-w-0 flex-1">
          <label htmlFor={id} className="flex flex-wrap items-center gap-2">
            <span className="font-medium wrap-anywhere">{name}</span>
            {mark && <Badge tone={mark.tone}>{mark.word}</Badge>}
          </label>
          {lines.map((line, index) => (
            <p key={index} className="font-mono text-tiny wrap-anywhere text-ink-2">
              {line}
            </p>
          ))}
          {notes.map((note, index) => (
            <p key={index} className="text-small wrap-anywhere text-wait-ink">
              {note}
            </p>
          ))}
          {pick.chosen && state !== 'new' && (
            <div className="mt-2 flex flex-wrap gap-2.5">
              <SelectField
                label="Name conflict"
                className="min-w-[200px] flex-1"
                value={pick.replace ? 'replace' : 'keep'}
                onChange={({ target: { value } }) =>
                  onChange({ ...pick, replace: value === 'replace', name: value === 'replace' ? name : freeName })
                }
              >
                <option value="keep">Keep both</option>
                <option value="replace">Replace</option>
              </SelectField>
              {!pick.replace && (
                <TextField
                  label="Name"
                  mono
                  className="min-w-[140px] flex-1"
                  value={pick.name}
                  onChange={(event) => onChange({ ...pick, name: event.target.value })}
                />
              )}
            </div>
          )}
          {pick.chosen && inputs.length > 0 && (
            <div className="mt-2 space-y-2">
              {inputs.map((input) => (
                <TextField
                  key={input.id}
                  label={input.label}
                  mono
                  type={input.isSecret ? 'password' : 'text'}
                  autoComplete={input.isSecret ? 'new-password' : 'off'}
                  value={pick.values[input.id] ?? ''}
                  {...(input.fallback !== undefined && { placeholder: input.fallback })}
                  hint={
                    input.variable === undefined ? undefined : `Default: the environment variable ${input.variable}`
                  }
                  onChange={(event) =>
                    onChange({ ...pick, values: { ...pick.values, [input.id]: event.target.value } })
                  }
                />
              ))}
            </div>
          )}
        </div>
      </div>
    </li>
  )
}

/** The user's choices for one server to import. */
interface Pick {
  chosen: boolean
  name: string
  /** Replaces the server of this name. */
  replace: boolean
  values: Readonly<Record<string, string>>
}

function startPick(server: McpImportServer, chosen: boolean): Pick {
  return { chosen, name: server.freeName, replace: false, values: {} }
}

/** New servers are selected by default, except those of other projects. */
function isPickedByDefault(
  preview: { folder?: McpImportPreview['folder'] },
  server: { state: McpImportServer['state'] },
  { pasted, folder }: { pasted: boolean; folder: string | undefined },
): boolean {
  if (server.state === 'unusable' || server.state === 'same') return false
  if (pasted) return true
  return server.state === 'new' && (preview.folder === undefined || preview.folder === folder)
}

/** Why these cannot be added together. */
function picksProblem(picks: readonly { pick: Pick }[]): string | undefined {
  const names = picks.map(({ pick }) => pick.name.trim())
  if (names.includes('')) return 'Each server needs a name.'
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : `Two servers are named ${twice}.`
}
