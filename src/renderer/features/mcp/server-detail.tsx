import { CircleAlert, CircleCheck } from 'lucide-react'
import { type ReactNode, memo, useCallback, useState } from 'react'
import type { McpServerView, McpToolView } from '../../../shared/configuration/customize/mcp'
import { describeSandbox } from '../../../shared/model/task/sandbox'
import { failureFrom } from '../../client/failure-from'
import { shortPath } from '../../format/folder-name'
import { duration } from '../../format/relative-time'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { TerminalText } from '../../ui/content/terminal-text'
import { useMcpChange } from './mcp-servers'
import { formatTokens } from '../../format/model-usage'
import { Badge } from '../../ui/badge'
import { FilterField } from '../../ui/form/filter-field'
import { Switch } from '../../ui/form/settings-controls'
import { formatMoment } from '../../../shared/language/speak'

/** Actions on a server that need their own dialog. */
export type ServerAction = 'edit' | 'remove' | 'log' | 'sign_in'

interface ServerDetailProps {
  server: McpServerView
  userHome: string | undefined
  onAction: (action: ServerAction) => void
}

/** Details of one server: its error, its properties, its actions, and its tools. */
export function ServerDetail({ server, userHome, onAction }: ServerDetailProps) {
  const { serverId, name, state, error, tools } = server
  const restart = useMcpChange((mcp, id: string) => mcp.restart({ serverId: id }))
  const test = useMcpChange((mcp, id: string) => mcp.test({ serverId: id }), { quiet: true })
  const signOut = useMcpChange((mcp, id: string) => mcp.signOut({ serverId: id }))
  const mayRun = state !== 'asked' && state !== 'disabled'
  return (
    <div className="space-y-3 border-t border-line bg-panel px-3.5 py-3">
      {error && (
        <div className="space-y-2">
          <p className={cx('flex items-start gap-2 text-ui', state === 'sign_in' ? 'text-wait-ink' : 'text-fail-ink')}>
            <CircleAlert aria-hidden className="mt-[2px] size-[14px] flex-none" />
            <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">{error.message}</span>
          </p>
          {error.stderr !== '' && (
            <div className="[&_pre]:max-h-[180px]">
              <TerminalText text={error.stderr} label={`Last output of ${name}`} />
            </div>
          )}
        </div>
      )}
      {server.auth?.wants !== undefined && error?.message !== server.auth.wants && (
        <p className="flex items-start gap-2 text-ui text-wait-ink">
          <CircleAlert aria-hidden className="mt-[2px] size-[14px] flex-none" />
          <span className="min-w-0 wrap-anywhere">{server.auth.wants}</span>
        </p>
      )}
      {server.notes?.map((note) => (
        <p key={note} className="flex items-start gap-2 text-ui text-wait-ink">
          <CircleAlert aria-hidden className="mt-[2px] size-[14px] flex-none" />
          <span className="min-w-0 wrap-anywhere">{note}</span>
        </p>
      ))}
      {state === 'asked' && (
        <p className="text-ui text-ink-2">
          This server comes with the project. It stays off until you trust the folder.
        </p>
      )}
      <div className="flex flex-wrap gap-1.5">
        {mayRun && (state === 'sign_in' || server.auth?.wants !== undefined) && (
          <Button size="small" variant="primary" onClick={() => onAction('sign_in')}>
            {server.auth?.state === 'signed_in' ? 'Sign in again' : 'Sign in'}
          </Button>
        )}
        {mayRun && state !== 'sign_in' && (
          <>
            <Button size="small" busy={test.isPending} onClick={() => test.mutate(serverId)}>
              Test
            </Button>
            <Button size="small" busy={restart.isPending} onClick={() => restart.mutate(serverId)}>
              {state === 'ready' || state === 'reconnecting' ? 'Restart' : 'Start'}
            </Button>
          </>
        )}
        {state !== 'asked' && (
          <Button size="small" onClick={() => onAction('log')}>
            Log
          </Button>
        )}
        {server.auth?.state === 'signed_in' && (
          <Button size="small" busy={signOut.isPending} onClick={() => signOut.mutate(serverId)}>
            Sign out
          </Button>
        )}
        {server.scope !== 'session' && server.plugin === undefined && (
          <>
            <Button size="small" onClick={() => onAction('edit')}>
              Edit
            </Button>
            <Button size="small" onClick={() => onAction('remove')}>
              Remove
            </Button>
          </>
        )}
      </div>
      <TestOutcome test={test} />
      <Facts server={server} userHome={userHome} />
      {tools.length > 0 ? (
        <ToolList server={server} />
      ) : (
        mayRun && !error && <p className="text-ui text-ink-3">Start or test the server to see its tools.</p>
      )}
    </div>
  )
}

interface TestOutcomeProps {
  test: { data: { ok: boolean; durationMs: number; message: string } | undefined; error: unknown; isPending: boolean }
}

function TestOutcome({ test }: TestOutcomeProps) {
  const outcome = test.error
    ? { ok: false, message: failureFrom(test.error).message, durationMs: undefined }
    : test.data
  return (
    <div role="status" className="text-ui empty:hidden">
      {!test.isPending && outcome && (
        <p className={cx('flex items-start gap-2', outcome.ok ? 'text-done-ink' : 'text-fail-ink')}>
          {outcome.ok ? (
            <CircleCheck aria-hidden className="mt-[2px] size-[14px] flex-none" />
          ) : (
            <CircleAlert aria-hidden className="mt-[2px] size-[14px] flex-none" />
          )}
          <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">
            {outcome.ok ? 'Connected' : 'Couldn’t connect'}
            {outcome.durationMs !== undefined && ` (${duration(outcome.durationMs)})`}
            <span className="text-ink-2">: {outcome.message}</span>
          </span>
        </p>
      )}
    </div>
  )
}

function Facts({ server, userHome }: { server: McpServerView; userHome: string | undefined }) {
  const { file, envNames, headerNames, pid, serverInfo, sessions, prompts, resources, auth, sandbox } = server
  const facts: [string, ReactNode][] = []
  if (file !== undefined) facts.push(['Defined in', <code key="file">{shortPath(file, userHome)}</code>])
  if (sandbox)
    facts.push([
      'Sandbox',
      sandbox.unavailable === undefined ? describeSandbox(sandbox) : `No sandbox available: ${sandbox.unavailable}`,
    ])
  if (envNames.length > 0) facts.push(['Environment', <code key="env">{envNames.join(', ')}</code>])
  if (headerNames.length > 0) facts.push(['Headers', <code key="headers">{headerNames.join(', ')}</code>])
  if (serverInfo)
    facts.push(['Server', `${serverInfo.name} ${serverInfo.version}, protocol ${serverInfo.protocolVersion}`])
  if (pid !== undefined) facts.push(['Process', String(pid)])
  if (sessions > 0) facts.push(['Used by', `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`])
  if (prompts + resources > 0)
    facts.push([
      'Prompts and resources',
      [counted(prompts, 'prompt'), counted(resources, 'resource')].filter(Boolean).join(', '),
    ])
  if (auth?.state === 'signed_in')
    facts.push(['Signed in', auth.expiresAt === undefined ? 'yes' : `until ${formatMoment(auth.expiresAt)}`])
  if (facts.length === 0) return null
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-small">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="wrap-anywhere [&_code]:font-mono [&_code]:text-tiny">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function counted(count: number, what: string): string {
  return count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Number of tools from which a filter is shown. */
const MANY = 12

/** The tools of a server, each with its switch and its tokens per request. */
function ToolList({ server }: { server: McpServerView }) {
  const [filter, setFilter] = useState('')
  const setTool = useMcpChange((mcp, change: { serverId: string; tool: string; enabled: boolean }) =>
    mcp.setToolEnabled(change),
  )
  const wanted = filter.trim().toLocaleLowerCase()
  const tools = server.tools.filter((tool) =>
    `${tool.name} ${tool.title ?? ''} ${tool.description}`.toLocaleLowerCase().includes(wanted),
  )
  const { mutate } = setTool
  const { serverId } = server
  const toggle = useCallback(
    (tool: string, enabled: boolean): void => mutate({ serverId, tool, enabled }),
    [mutate, serverId],
  )
  return (
    <div>
      {server.tools.length >= MANY && (
        <FilterField
          label={`Filter the tools of ${server.name}`}
          placeholder={`Filter ${server.tools.length} tools`}
          value={filter}
          onChange={setFilter}
          className="mb-2 h-[29px]"
        />
      )}
      <ul aria-label={`Tools of ${server.name}`} className="overflow-hidden rounded-md border border-line">
        {tools.map((tool) => {
          const pending = setTool.isPending && setTool.variables.tool === tool.name
          return (
            <ToolRow
              key={tool.name}
              tool={tool}
              enabled={pending ? setTool.variables.enabled : tool.enabled}
              onToggle={toggle}
            />
          )
        })}
        {tools.length === 0 && <li className="px-3 py-2 text-ui text-ink-3">No matching tools</li>}
      </ul>
    </div>
  )
}

interface ToolRowProps {
  tool: McpToolView
  enabled: boolean
  onToggle: (tool: string, enabled: boolean) => void
}

const ToolRow = memo(function ToolRow({ tool, enabled, onToggle }: ToolRowProps) {
  return (
    <li className="border-t border-line px-3 py-1.5 first:border-t-0">
      <Switch
        label={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="font-mono text-small wrap-anywhere">{tool.name}</span>
            {tool.readOnly && <Badge>Read-only</Badge>}
            {tool.destructive && <Badge tone="wait">Destructive</Badge>}
            {tool.problem !== undefined && <Badge tone="fail">Excluded</Badge>}
            <span className="text-tiny font-normal text-ink-3 tabular-nums">{formatTokens(tool.tokens)} tokens</span>
          </span>
        }
        description={
          <>
            <span className="line-clamp-2 wrap-anywhere">
              {tool.title === undefined ? tool.description : `${tool.title}. ${tool.description}`}
            </span>
            {tool.problem !== undefined && <span className="block text-fail-ink">{tool.problem}</span>}
          </>
        }
        checked={enabled && tool.problem === undefined}
        disabled={tool.problem !== undefined}
        onChange={(on) => onToggle(tool.name, on)}
      />
    </li>
  )
})
