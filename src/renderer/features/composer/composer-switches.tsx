import { useQuery } from '@tanstack/react-query'
import { Bot, ChevronDown, Brain } from 'lucide-react'
import type { AgentView, SessionAgent } from '../../../shared/model/session/agent'
import { useSessionHeader } from '../../state/session/session-view'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient, useSettings } from '../../state/page/queries'
import { ChipButton } from '../../ui/chip'
import { Menu, MenuChoice, MenuChoices } from '../../ui/overlay/menu'
import { EFFORT_CHOICES, effortName } from '../../../shared/model/turn/effort'
import { defaultEffortName, sessionEffort } from '../../../shared/configuration/session-model'

/** The value for the default agent. Agent names have no capital letters, so it cannot collide. */
const USUAL = 'Usual'

/** The agent of this session, and the switch. */
export function AgentSwitch({ sessionId }: { sessionId: string }) {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  const folder = header?.folder
  const { data } = useQuery({
    queryKey: ['agents', folder],
    queryFn: () => client.agent.list({ folder: folder ?? '' }),
    enabled: folder !== undefined,
  })
  if (!header) return null
  const { runsAs } = header
  const offered = (data?.agents ?? []).filter(({ hiddenBy }) => hiddenBy === undefined)
  const choose = (name: string): void => {
    if (name === (runsAs?.name ?? USUAL)) return
    client.session.change({ sessionId, agent: name === USUAL ? null : { name } }).catch(showFailureToast)
  }
  const name = runsAs ? titleOf(runsAs) : 'Trestle'
  const trigger = (
    <ChipButton aria-label={`Agent: ${name}`} className="max-w-[160px]">
      <Bot aria-hidden />
      {runsAs && <span className="truncate">{name}</span>}
      <ChevronDown aria-hidden />
    </ChipButton>
  )
  return (
    <Menu trigger={trigger} label="Agent" side="top">
      <MenuChoices value={runsAs?.name ?? USUAL} onChoose={choose}>
        <MenuChoice value={USUAL} description="The default agent, with every tool">
          Trestle
        </MenuChoice>
        {/* An agent from --agent-file is not among the folder's agents; the user can switch away from it. */}
        {runsAs?.definition && !offered.some((agent) => agent.name === runsAs.name) && (
          <MenuChoice value={runsAs.name} description={runsAs.definition.path}>
            {titleOf(runsAs)}
          </MenuChoice>
        )}
        {offered.map((agent) => (
          <MenuChoice key={agent.path} value={agent.name} description={agent.description}>
            {titleOf(agent)}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}

function titleOf({ name, title }: Pick<AgentView | SessionAgent, 'name' | 'title'>): string {
  return title ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

/** The thinking effort of this session, and the switch; hidden when the model offers no choice. */
export function EffortSwitch({ sessionId }: { sessionId: string }) {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  const { data: settings } = useSettings()
  if (!header || !settings) return null
  const effort = sessionEffort(settings, header)
  const { offered, chosen } = effort
  if (offered.length === 0) return null
  const change = (value: string): void => {
    const choice = EFFORT_CHOICES.find((known) => known === value)
    if (choice !== undefined) client.session.change({ sessionId, effort: choice }).catch(showFailureToast)
  }
  const byDefault = defaultEffortName(effort)
  const name = chosen === undefined ? byDefault : effortName(chosen, offered)
  const trigger = (
    <ChipButton aria-label={`Thinking: ${name}`} className="max-w-[180px]">
      <Brain aria-hidden />
      <span className="truncate">{chosen === undefined ? 'Default' : name}</span>
      <ChevronDown aria-hidden />
    </ChipButton>
  )
  return (
    <Menu trigger={trigger} label="Thinking" side="top">
      <MenuChoices value={chosen ?? 'default'} onChoose={change}>
        <MenuChoice value="default" description="Set by the model’s settings or its provider">
          {byDefault}
        </MenuChoice>
        {offered.toReversed().map((level) => (
          <MenuChoice key={level} value={level}>
            {effortName(level, offered)}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}
