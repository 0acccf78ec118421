import { Bot } from 'lucide-react'
import type { AppInfo } from '../../../shared/contract/app'
import type { AgentView } from '../../../shared/model/agent'
import { useClient } from '../../state/trestle-context'
import { Badge } from '../../ui/badge'
import { EmptyState } from '../../ui/empty-state'
import { FoundSection, SOURCES } from './found-section'

/** The types of subagents the project on screen can use, where they come from, and what is wrong with others. */
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
        <EmptyState icon={<Bot aria-hidden />} title="No agents" className="rounded-lg border border-dashed border-line-strong">
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
