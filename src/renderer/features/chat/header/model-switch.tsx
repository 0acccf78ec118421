import { ChevronDown } from 'lucide-react'
import { describeAbilities } from '../../../format/model-usage'
import { useClient, useSettings } from '../../../state/page/queries'
import { useSessionHeader } from '../../../state/session/session-view'
import { showFailureToast } from '../../../state/page/toasts-state'
import { Badge } from '../../../ui/badge'
import { ChipButton, Chip } from '../../../ui/chip'
import { Menu, MenuChoice, MenuChoices, MenuItem, MenuSeparator } from '../../../ui/menu'
import { contextShare } from '../../../../shared/configuration/session-model'
import { cx } from '../../../ui/cx'
import { Tooltip } from '../../../ui/tooltip'

/** The model of this session, and the switch. */
export function ModelSwitch({ sessionId, onOpenSettings }: { sessionId: string; onOpenSettings: () => void }) {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  const { data: settings } = useSettings()
  if (!header || !settings) return null
  const chosen = header.model ?? settings.defaultModel
  const model = settings.models.find(({ id }) => id === chosen)
  const choose = (id: string): void => {
    client.session.change({ sessionId, model: id }).catch(showFailureToast)
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
            description={
              choice.scripted
                ? choice.id
                : `${choice.label === choice.id ? '' : `${choice.id} · `}${describeAbilities(choice)}`
            }
            end={choice.knownFrom === 'guess' && <Badge tone="wait">guess</Badge>}
          >
            {choice.label}
          </MenuChoice>
        ))}
      </MenuChoices>
      {settings.models.length > 0 && <MenuSeparator />}
      <MenuItem onSelect={onOpenSettings}>
        {settings.models.length > 0 ? 'Models in Settings' : 'Add a model in Settings'}
      </MenuItem>
    </Menu>
  )
}

/** Context usage at the latest request. */
export function ContextMeter({ sessionId }: { sessionId: string }) {
  const header = useSessionHeader(sessionId)
  const { data: settings } = useSettings()
  const context = header && settings && contextShare(header, settings)
  if (!context) return null
  const { used, window, share, percent } = context
  const less = header.learnedWindow === undefined ? '' : ', the most that the provider accepts'
  const text = `Context: ${used.toLocaleString()} of ${window.toLocaleString()} tokens${less}`
  return (
    <Tooltip text={text}>
      <Chip
        tabIndex={0}
        role="meter"
        aria-label="Context"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={text}
        className="tabular-nums"
      >
        <span aria-hidden className="h-1 w-11 overflow-hidden rounded-full bg-line forced-color-adjust-none">
          <span
            className={cx('block h-full', share >= 0.9 ? 'bg-wait' : 'bg-ink-2')}
            style={{ width: `${share * 100}%` }}
          />
        </span>
        {percent}%
      </Chip>
    </Tooltip>
  )
}
