import { useQuery } from '@tanstack/react-query'
import { RefreshCw, Bot, Sparkles } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AppInfo } from '../../../shared/contract/app'
import { failureFrom } from '../../client/failure-from'
import { folderName } from '../../format/folder-name'
import { useLayout } from '../../state/page/layout-state'
import { useSessions } from '../../state/session/sessions-state'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ErrorNote, EmptyState } from '../../ui/notice'
import { SectionHead } from '../../ui/form/settings-controls'
import { Skeleton } from '../../ui/loading'
import type { AgentView } from '../../../shared/model/agent'
import { useClient } from '../../state/page/queries'
import type { SkillView } from '../../../shared/configuration/customizations'

/** The label of a source. */
const SOURCES = { project: 'Project', user: 'Personal', plugin: 'Plugin', 'built-in': 'Built-in' } as const

/** A problem in a file. `isFatal`: its content is excluded; default true. */
interface FoundProblem {
  path: string
  line?: number
  message: string
  isFatal?: boolean
}

interface FoundSectionProps<List extends { problems: readonly FoundProblem[] }> {
  info: AppInfo | undefined
  /** Names it among the queries, and for screen readers. */
  kind: string
  title: string
  /** The description; `place` is the project. */
  text: (place: string) => string
  load: (folder: string) => Promise<List>
  /** One list item each. */
  rows: (list: List) => ReactNode[]
  /** Shown when there are no rows. */
  empty: ReactNode
}

/** Entries from files of the current project, the user's home and Trestle itself, with their problems. */
function FoundSection<List extends { problems: readonly FoundProblem[] }>(props: FoundSectionProps<List>) {
  const { info, kind, title, text, load } = props
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const folder =
    useSessions((state) => (lastSessionId === undefined ? undefined : state.sessions.get(lastSessionId)?.folder)) ??
    info?.userHome
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [kind, folder],
    queryFn: () => load(folder ?? ''),
    enabled: folder !== undefined,
  })
  const id = `settings-${kind}`
  return (
    <section aria-labelledby={id}>
      <SectionHead
        id={id}
        title={title}
        text={text(folder === undefined ? 'here' : folderName(folder, info?.userHome).name)}
      >
        <Button icon={<RefreshCw aria-hidden />} busy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </SectionHead>
      {data ? (
        <Found rows={props.rows(data)} problems={data.problems} empty={props.empty} />
      ) : error ? (
        <ErrorNote failure={failureFrom(error)} />
      ) : (
        <Skeleton className="h-16 w-full rounded-lg" />
      )}
    </section>
  )
}

function Found({ rows, problems, empty }: { rows: ReactNode[]; problems: readonly FoundProblem[]; empty: ReactNode }) {
  return (
    <>
      {rows.length === 0 ? empty : <ul className="overflow-hidden rounded-lg border border-line bg-raised">{rows}</ul>}
      {problems.length > 0 && (
        <>
          <h3 className="mt-6 mb-2 font-semibold">Problems</h3>
          <ul className="overflow-hidden rounded-lg border border-line bg-raised">
            {problems.map((problem, n) => (
              <ProblemRow key={n} problem={problem} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function ProblemRow({ problem: { path, line, message, isFatal = true } }: { problem: FoundProblem }) {
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2 text-ui">
        <Badge tone={isFatal ? 'fail' : 'wait'}>{isFatal ? 'Excluded' : 'Note'}</Badge>
        <span className="wrap-anywhere">{message}</span>
      </p>
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">
        {path}
        {line !== undefined && `:${line}`}
      </p>
    </li>
  )
}

/** The subagent types available in the current project, their sources, and their problems. */
export function AgentsSection({ info }: { info: AppInfo | undefined }) {
  const client = useClient()
  return (
    <FoundSection
      info={info}
      kind="agents"
      title="Agents"
      text={(place) => `Subagent types available in ${place}. A project’s own types apply once you trust its folder.`}
      load={(folder) => client.agent.list({ folder })}
      rows={({ agents }) => agents.map((agent) => <AgentRow key={agent.path} agent={agent} />)}
      empty={
        <EmptyState
          icon={<Bot aria-hidden />}
          title="No agents"
          className="rounded-lg border border-dashed border-line-strong"
        >
          Add a YAML file to .trestle/agents in a project, or to agents in the Trestle home folder.
        </EmptyState>
      }
    />
  )
}

function AgentRow({ agent }: { agent: AgentView }) {
  const { name, source, description, path, readOnly, tools, subagents, model, hiddenBy } = agent
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-mono text-ui font-medium wrap-anywhere">{name}</span>
        <Badge>{SOURCES[source]}</Badge>
        {readOnly && <Badge tone="run">Read-only</Badge>}
        {hiddenBy !== undefined && <Badge tone="wait">Overridden</Badge>}
      </p>
      <p className="text-ui text-ink-2">{description}</p>
      {tools && <p className="text-small text-ink-3">{tools.length > 0 ? `Tools: ${tools.join(', ')}` : 'No tools'}</p>}
      {subagents.length > 0 && <p className="text-small text-ink-3">May start: {subagents.join(', ')}</p>}
      {model !== undefined && <p className="text-small text-ink-3">Model: {model}</p>}
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">{path}</p>
    </li>
  )
}

/** The skills available in the current project, their sources, and their problems. */
export function SkillsSection({ info }: { info: AppInfo | undefined }) {
  const client = useClient()
  return (
    <FoundSection
      info={info}
      kind="skills"
      title="Skills"
      text={(place) => `Reusable instructions available in ${place}. Type / in a message to use one.`}
      load={(folder) => client.skill.list({ folder })}
      rows={({ skills }) => skills.map((skill) => <SkillRow key={skill.path} skill={skill} />)}
      empty={
        <EmptyState
          icon={<Sparkles aria-hidden />}
          title="No skills"
          className="rounded-lg border border-dashed border-line-strong"
        >
          Add a folder with a SKILL.md to .trestle/skills in a project, or to skills in the Trestle home folder.
        </EmptyState>
      }
    />
  )
}

function SkillRow({ skill }: { skill: SkillView }) {
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-mono text-ui font-medium wrap-anywhere">/{skill.name}</span>
        <Badge>{SOURCES[skill.source]}</Badge>
        {skill.hiddenBy !== undefined && <Badge tone="wait">Overridden</Badge>}
        {(skill.type !== 'inline' || !skill.modelInvocation) && <Badge tone="run">Manual only</Badge>}
      </p>
      <p className="text-ui text-ink-2">{skill.description}</p>
      {skill.whenToUse !== undefined && <p className="text-small text-ink-3">When: {skill.whenToUse}</p>}
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">{skill.path}</p>
    </li>
  )
}
