import { useQuery } from '@tanstack/react-query'
import { Bot, ChevronDown } from 'lucide-react'
import type { AgentView, SessionAgent } from '../../../shared/model/agent'
import { useSessionHeader } from '../../state/session-view'
import { tellFailure } from '../../state/toasts-state'
import { useClient } from '../../state/trestle-context'
import { ChipButton } from '../../ui/chip'
import { Menu, MenuChoice, MenuChoices } from '../../ui/menu'

/** In place of a name: the agent that works when none is chosen. No spec can have it, since names have no capital letters. */
const USUAL = 'Usual'

/** The agent that this session works as, and the switch. */
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
    client.session.change({ sessionId, agent: name === USUAL ? null : { name } }).catch(tellFailure)
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
        {/* A file of one's own that --agent-file named: it can be left, and is not among the specs of the folder. */}
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
