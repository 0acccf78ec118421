import { CircleAlert, Import, Plug, Plus } from 'lucide-react'
import { useCallback, useState, type ReactNode } from 'react'
import type { AppInfo } from '../../../shared/contract/app/app'
import type { McpServerInput, McpServerList, McpServerView } from '../../../shared/configuration/customize/mcp'
import { folderName, shortPath } from '../../format/folder-name'
import { useLayout } from '../../state/page/layout-state'
import { useSessions } from '../../state/session-list/sessions-state'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { formatTokens } from '../../format/model-usage'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { EmptyState } from '../../ui/notice'
import { SectionHead } from '../../ui/form/settings-controls'
import { Skeleton } from '../../ui/loading'
import { ImportDialog } from './import-dialog'
import type { ServerAction } from './server-detail'
import { fieldsOf, NO_SERVER } from './server-fields'
import { ServerForm } from './server-form'
import { ServerLog, ServerRow } from './server-row'
import { tokensOf, useMcpChange, useMcpList } from './mcp-servers'
import { SignInDialog } from './sign-in-dialog'
import { LoadError } from '../../ui/load-error'

interface McpSectionProps {
  info: AppInfo | undefined
  /** The server to show expanded. */
  shown?: string | undefined
  /** The trust banner of the project; empty once decided. */
  renderTrust: (folder: string) => ReactNode
  /** The tool search settings. */
  toolSearch?: ReactNode
}

type Dialog =
  | { kind: 'add' }
  | { kind: 'import'; pasted: boolean }
  | { kind: 'edit'; server: McpServerView; input: McpServerInput }
  | { kind: 'log' | 'sign_in' | 'remove'; serverId: string }

/** The servers available in the current project: their states, their tools, and the actions on them. */
export function McpSection({ info, shown, renderTrust, toolSearch }: McpSectionProps) {
  const client = useClient()
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const folder = useSessions((state) =>
    lastSessionId === undefined ? undefined : state.sessions.get(lastSessionId)?.folder,
  )
  const query = useMcpList(folder)
  const { data: list, error } = query
  const [dialog, setDialog] = useState<Dialog>()
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set(shown === undefined ? [] : [shown]))
  const remove = useMcpChange((mcp, server: McpServerView) =>
    mcp.remove({
      place:
        server.scope === 'project'
          ? { scope: 'project', folder: folder!, name: server.name }
          : { scope: 'user', name: server.name },
    }),
  )
  const close = (): void => setDialog(undefined)
  const project = folder === undefined ? undefined : { path: folder, name: folderName(folder, info?.userHome).name }
  const open = useCallback(
    (serverId: string, isOpen: boolean): void =>
      setOpened((before) => new Set(isOpen ? [...before, serverId] : [...before].filter((id) => id !== serverId))),
    [],
  )

  const act = useCallback(
    (server: McpServerView, action: ServerAction): void => {
      if (action !== 'edit') return setDialog({ kind: action, serverId: server.serverId })
      client.mcp
        .definition({ serverId: server.serverId })
        .then((input) => setDialog({ kind: 'edit', server, input }), showFailureToast)
    },
    [client],
  )
  const meant =
    dialog && 'serverId' in dialog ? list?.servers.find(({ serverId }) => serverId === dialog.serverId) : undefined
  const names = (scope: 'user' | 'project'): string[] =>
    list?.servers.filter((server) => server.scope === scope).map(({ name }) => name) ?? []
  const taken = { user: names('user'), project: names('project') }
  const saved = (after: McpServerList, name: string): void => {
    close()
    const server = after.servers.find((one) => one.name === name)
    if (server) open(server.serverId, true)
  }

  return (
    <section aria-labelledby="settings-mcp">
      <SectionHead
        id="settings-mcp"
        title="MCP servers"
        text={
          'Programs and services that give the agent more ' +
          `tools${project === undefined ? '' : ` in ${project.name}`}. They start when first used.`
        }
      >
        <div className="flex gap-2">
          <Button icon={<Import aria-hidden />} onClick={() => setDialog({ kind: 'import', pasted: false })}>
            Import
          </Button>
          <Button icon={<Plus aria-hidden />} onClick={() => setDialog({ kind: 'add' })}>
            Add server
          </Button>
        </div>
      </SectionHead>
      {folder !== undefined && list?.servers.some(({ state }) => state === 'asked') && renderTrust(folder)}
      {list ? (
        <Servers
          list={list}
          opened={opened}
          userHome={info?.userHome}
          onOpen={open}
          onAction={act}
          onAdd={() => setDialog({ kind: 'add' })}
          onImport={() => setDialog({ kind: 'import', pasted: false })}
        />
      ) : error ? (
        <LoadError query={query} />
      ) : (
        <div role="status" aria-busy>
          <span className="sr-only">Loading the servers</span>
          <Skeleton className="h-16 w-full rounded-lg" />
        </div>
      )}
      {toolSearch}
      {dialog?.kind === 'add' && (
        <ServerForm
          start={NO_SERVER}
          folder={project}
          taken={taken}
          onPaste={() => setDialog({ kind: 'import', pasted: true })}
          onClose={close}
          onSaved={saved}
        />
      )}
      {dialog?.kind === 'edit' && dialog.server.scope !== 'session' && (
        <ServerForm
          start={fieldsOf(dialog.server.name, dialog.input)}
          edited={{ name: dialog.server.name, scope: dialog.server.scope, input: dialog.input }}
          folder={project}
          taken={taken}
          onClose={close}
          onSaved={saved}
        />
      )}
      {dialog?.kind === 'import' && (
        <ImportDialog
          folder={folder}
          userHome={info?.userHome}
          pasted={dialog.pasted}
          onClose={close}
          onImported={(count) => {
            close()
            showToast(count === 1 ? 'Added 1 server' : `Added ${count} servers`)
          }}
        />
      )}
      {dialog?.kind === 'log' && meant && <ServerLog server={meant} onClose={close} />}
      {dialog?.kind === 'sign_in' && meant && <SignInDialog server={meant} onClose={close} />}
      <ConfirmDialog
        open={dialog?.kind === 'remove' && meant !== undefined}
        onOpenChange={(isOpen) => !isOpen && close()}
        title={`Remove the server ${meant?.name ?? ''}?`}
        action="Remove server"
        onConfirm={() => meant && remove.mutate(meant)}
      >
        {meant?.scope === 'project'
          ? 'It will be removed from ' +
            `${meant.file === undefined ? 'the project' : shortPath(meant.file, info?.userHome)}, ` +
            'for everyone who works on the project.'
          : 'This also deletes its command or address and any keys in it. To keep it for later, disable it instead.'}
      </ConfirmDialog>
    </section>
  )
}

interface ServersProps {
  list: McpServerList
  opened: ReadonlySet<string>
  userHome: string | undefined
  onOpen: (serverId: string, open: boolean) => void
  onAction: (server: McpServerView, action: ServerAction) => void
  onAdd: () => void
  onImport: () => void
}

function Servers({ list: { servers, problems }, opened, userHome, onOpen, onAction, onAdd, onImport }: ServersProps) {
  const tokens = servers.reduce((sum, server) => sum + (isOffered(server) ? tokensOf(server) : 0), 0)
  return (
    <>
      {problems.length > 0 && (
        <ul aria-label="Problems" className="mb-3.5 overflow-hidden rounded-lg border border-line bg-raised">
          {problems.map((problem, n) => (
            <li key={n} className="border-t border-line px-3.5 py-2 text-ui first:border-t-0">
              <span className="flex items-start gap-2">
                <CircleAlert aria-hidden className="mt-[3px] size-[14px] flex-none text-fail-ink" />
                <span className="min-w-0 wrap-anywhere">{problem.message}</span>
              </span>
              <span className="block pl-[22px] font-mono text-tiny wrap-anywhere text-ink-3">
                {shortPath(problem.file, userHome)}
                {problem.line !== undefined && `:${problem.line}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {servers.length === 0 ? (
        <EmptyState
          icon={<Plug aria-hidden />}
          title="No servers yet"
          className="rounded-lg border border-dashed border-line-strong"
          actions={
            <>
              <Button onClick={onAdd}>Add server</Button>
              <Button variant="quiet" onClick={onImport}>
                Import from another app
              </Button>
            </>
          }
        >
          MCP servers give the agent more tools, such as an issue tracker, a database or a browser. Add one by its
          command or address, or bring in the ones you already use.
        </EmptyState>
      ) : (
        <>
          <ul aria-label="MCP servers" className="overflow-hidden rounded-lg border border-line bg-raised">
            {servers.map((server) => (
              <ServerRow
                key={server.serverId}
                server={server}
                userHome={userHome}
                open={opened.has(server.serverId)}
                onOpen={onOpen}
                onAction={onAction}
              />
            ))}
          </ul>
          {tokens > 0 && (
            <p className="mt-2 text-small text-ink-3 tabular-nums">
              Enabled tools add about {formatTokens(tokens)} tokens to each request, unless tool search is on.
            </p>
          )}
        </>
      )}
    </>
  )
}

function isOffered({ state, hiddenBy }: McpServerView): boolean {
  return state !== 'disabled' && state !== 'asked' && hiddenBy === undefined
}
