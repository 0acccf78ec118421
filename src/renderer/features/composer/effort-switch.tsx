import { Brain, ChevronDown } from 'lucide-react'
import { EFFORT_CHOICES, effortName } from '../../../shared/model/effort'
import { defaultEffortName, sessionEffort } from '../../../shared/model/session-effort'
import { useSessionHeader } from '../../state/session-view'
import { useSettings } from '../../state/settings-query'
import { tellFailure } from '../../state/toasts-state'
import { useClient } from '../../state/trestle-context'
import { ChipButton } from '../../ui/chip'
import { Menu, MenuChoice, MenuChoices } from '../../ui/menu'

/** How hard the model thinks in this session, and the switch; nothing where the model offers no choice. */
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
    if (choice !== undefined) client.session.change({ sessionId, effort: choice }).catch(tellFailure)
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
        <MenuChoice value="default" description="What the model's settings or its vendor say">
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
