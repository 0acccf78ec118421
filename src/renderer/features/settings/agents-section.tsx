import { useQuery } from '@tanstack/react-query'
import { Bot, RefreshCw } from 'lucide-react'
import type { AgentList, AgentProblem, AgentView } from '../../../shared/model/agent'
import type { AppInfo } from '../../../shared/contract/app'
import { failureFrom } from '../../client/failure-from'
import { folderName } from '../../state/folder-name'
import { useLayout } from '../../state/layout-state'
import { useSessions } from '../../state/sessions-state'
import { useClient } from '../../state/trestle-context'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { ErrorNote } from '../../ui/error-note'
import { Skeleton } from '../../ui/skeleton'
import { SectionHead } from '../../ui/section-head'

const SOURCES = { project: 'this project', user: 'your own', 'built-in': 'comes with Trestle' } as const

/** The types of subagents the project on screen can use, where they come from, and what is wrong with others. */
export function AgentsSection({ info }: { info: AppInfo | undefined }) {
  const client = useClient()
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const folder =
    useSessions((state) => (lastSessionId === undefined ? undefined : state.sessions.get(lastSessionId)?.folder)) ?? info?.userHome
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['agents', folder],
    queryFn: () => client.agent.list({ folder: folder ?? '' }),
    enabled: folder !== undefined,
  })
  return (
    <section aria-labelledby="settings-agents">
      <SectionHead
        id="settings-agents"
        title="Agents"
        text={`Types of subagents that can be given a part of the work, as found from ${folder === undefined ? 'here' : folderName(folder, info?.userHome).name}. Those of a project count once you trust its folder.`}
      >
        <Button icon={<RefreshCw aria-hidden />} busy={isFetching} onClick={() => void refetch()}>
          Look again
        </Button>
      </SectionHead>
      {data ? <Found list={data} /> : error ? <ErrorNote failure={failureFrom(error)} /> : <Skeleton className="h-16 w-full rounded-lg" />}
    </section>
  )
}

function Found({ list }: { list: AgentList }) {
  return (
    <>
      {list.agents.length === 0 ? (
        <EmptyState icon={<Bot aria-hidden />} title="No agents here" className="rounded-lg border border-dashed border-line-strong">
          An agent is a YAML file, in .trestle/agents of a project or in agents of Trestle’s home.
        </EmptyState>
      ) : (
        <ul className="overflow-hidden rounded-lg border border-line bg-raised">
          {list.agents.map((agent) => (
            <AgentRow key={agent.path} agent={agent} />
          ))}
        </ul>
      )}
      {list.problems.length > 0 && (
        <>
          <h3 className="mt-6 mb-2 font-semibold">Problems</h3>
          <ul className="overflow-hidden rounded-lg border border-line bg-raised">
            {list.problems.map((problem, n) => (
              <ProblemRow key={n} problem={problem} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function AgentRow({ agent }: { agent: AgentView }) {
  const { name, source, description, path, readOnly, tools, subagents, model, hiddenBy } = agent
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-mono text-ui font-medium wrap-anywhere">{name}</span>
        <Badge>{SOURCES[source]}</Badge>
        {readOnly && <Badge tone="run">only reads</Badge>}
        {hiddenBy !== undefined && <Badge tone="wait">hidden by a nearer one</Badge>}
      </p>
      <p className="text-ui text-ink-2">{description}</p>
      {tools && <p className="text-small text-ink-3">Tools: {tools.join(', ')}</p>}
      {subagents.length > 0 && <p className="text-small text-ink-3">May start: {subagents.join(', ')}</p>}
      {model !== undefined && <p className="text-small text-ink-3">Model: {model}</p>}
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">{path}</p>
    </li>
  )
}

function ProblemRow({ problem }: { problem: AgentProblem }) {
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2 text-ui">
        <Badge tone="fail">left out</Badge>
        <span className="wrap-anywhere">{problem.message}</span>
      </p>
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">
        {problem.path}
        {problem.line !== undefined && `:${problem.line}`}
      </p>
    </li>
  )
}
