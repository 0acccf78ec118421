import { Bot, Copy, Plus } from 'lucide-react'
import { useState } from 'react'
import type { AppInfo } from '../../../../shared/contract/app/app'
import { t } from '../../../../shared/language/settings-messages'
import type { AgentView } from '../../../../shared/model/session/agent'
import { useClient } from '../../../state/page/queries'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { MenuItem } from '../../../ui/overlay/menu'
import { EmptyState } from '../../../ui/notice'
import { FoundSection, SOURCES } from '../edit/found-section'
import { RowMenu } from '../edit/row-menu'
import { useEdits, useEditedPlace, type EditedPlace } from '../edit/use-edits'
import { AgentDialog, type AgentTask } from './agent-dialog'

/** The agents available in the current project: to create, duplicate, change and delete. */
export function AgentsSection({ info }: { info: AppInfo | undefined }) {
  const client = useClient()
  const place = useEditedPlace(info)
  const [task, setTask] = useState<AgentTask>()
  return (
    <FoundSection
      place={place}
      kind="agents"
      title={t('settings.section.agents')}
      text={(name) => `Subagent types available in ${name}. A project’s own types apply once you trust its folder.`}
      load={(folder) => client.agent.list({ folder })}
      rows={({ agents }) =>
        agents.map((agent) => <AgentRow key={agent.path + agent.name} agent={agent} place={place} onOpen={setTask} />)
      }
      action={
        <Button icon={<Plus aria-hidden />} onClick={() => setTask({ kind: 'new' })}>
          {t('agents.new')}
        </Button>
      }
      renderFix={(path) => (
        <Button size="small" aria-label={`${t('edit.edit')}: ${path}`} onClick={() => setTask({ kind: 'edit', path })}>
          {t('edit.edit')}
        </Button>
      )}
      empty={
        <EmptyState
          icon={<Bot aria-hidden />}
          title="No agents"
          className="rounded-lg border border-dashed border-line-strong"
        >
          Add a YAML file to .trestle/agents in a project, or to agents in the Trestle home folder.
        </EmptyState>
      }
    >
      {task && <AgentDialog task={task} place={place} onClose={() => setTask(undefined)} />}
    </FoundSection>
  )
}

interface AgentRowProps {
  agent: AgentView
  place: EditedPlace
  onOpen: (task: AgentTask) => void
}

function AgentRow({ agent, place, onOpen }: AgentRowProps) {
  const client = useClient()
  const edits = useEdits()
  const { name, source, description, path, readOnly, tools, subagents, model, hiddenBy } = agent
  const canEdit = source === 'user' || (source === 'project' && place.canEditProject === true)
  return (
    <li className="flex items-start gap-2 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-mono text-ui font-medium wrap-anywhere">{name}</span>
          <Badge>{SOURCES[source]}</Badge>
          {readOnly && <Badge tone="run">Read-only</Badge>}
          {hiddenBy !== undefined && <Badge tone="wait">Overridden</Badge>}
        </p>
        <p className="text-ui text-ink-2">{description}</p>
        {tools && (
          <p className="text-small wrap-anywhere text-ink-3">
            {tools.length > 0 ? `Tools: ${tools.join(', ')}` : 'No tools'}
          </p>
        )}
        {subagents.length > 0 && <p className="text-small text-ink-3">May start: {subagents.join(', ')}</p>}
        {model !== undefined && <p className="text-small text-ink-3">Model: {model}</p>}
        <p className="font-mono text-tiny wrap-anywhere text-ink-3">{path}</p>
      </div>
      <div className="flex flex-none items-center gap-1">
        {canEdit ? (
          <>
            <Button
              size="small"
              aria-label={`${t('edit.edit')}: ${name}`}
              onClick={() => onOpen({ kind: 'edit', path })}
            >
              {t('edit.edit')}
            </Button>
            <RowMenu
              name={name}
              onDelete={() =>
                edits.run(
                  t('agents.removed', { name }),
                  client.customize.removeAgent({ folder: place.folder ?? '', path }),
                )
              }
            >
              <MenuItem icon={<Copy aria-hidden />} onSelect={() => onOpen({ kind: 'duplicate', path })}>
                {t('edit.duplicate')}
              </MenuItem>
            </RowMenu>
          </>
        ) : (
          source === 'built-in' && (
            <Button
              size="small"
              aria-label={`${t('edit.duplicate')}: ${name}`}
              onClick={() => onOpen({ kind: 'duplicate', path })}
            >
              {t('edit.duplicate')}
            </Button>
          )
        )}
      </div>
    </li>
  )
}
