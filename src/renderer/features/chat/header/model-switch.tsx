import { ChevronDown } from 'lucide-react'
import { abilityWords } from '../../../state/model-words'
import { useClient } from '../../../state/trestle-context'
import { useSessionHeader } from '../../../state/session-view'
import { useSettings } from '../../../state/settings-query'
import { tellFailure } from '../../../state/toasts-state'
import { Badge } from '../../../ui/badge'
import { ChipButton } from '../../../ui/chip'
import { Menu, MenuChoice, MenuChoices, MenuItem, MenuSeparator } from '../../../ui/menu'

/** Which model answers in this session, and the switch to another. */
export function ModelSwitch({ sessionId, onOpenSettings }: { sessionId: string; onOpenSettings: () => void }) {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  const { data: settings } = useSettings()
  if (!header || !settings) return null
  const chosen = header.model ?? settings.defaultModel
  const model = settings.models.find(({ id }) => id === chosen)
  const choose = (id: string): void => {
    client.session.change({ sessionId, model: id }).catch(tellFailure)
  }
  const name = model?.label ?? chosen ?? 'Choose a model'
  const trigger = (
    <ChipButton aria-label={`Model: ${name}`} className="max-w-[220px]">
      <span className="truncate">{name}</span>
      <ChevronDown aria-hidden />
    </ChipButton>
  )
  return (
    <Menu trigger={trigger} label="Model" align="end">
      <MenuChoices value={chosen ?? ''} onChoose={choose}>
        {settings.models.map((choice) => (
          <MenuChoice
            key={choice.id}
            value={choice.id}
            description={choice.scripted ? choice.id : `${choice.label === choice.id ? '' : `${choice.id} · `}${abilityWords(choice)}`}
            end={choice.knownFrom === 'guess' && <Badge tone="wait">guess</Badge>}
          >
            {choice.label}
          </MenuChoice>
        ))}
      </MenuChoices>
      {settings.models.length > 0 && <MenuSeparator />}
      <MenuItem onSelect={onOpenSettings}>{settings.models.length > 0 ? 'Models in Settings' : 'Add a model in Settings'}</MenuItem>
    </Menu>
  )
}
