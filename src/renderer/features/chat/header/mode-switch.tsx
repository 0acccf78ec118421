import { ChevronDown } from 'lucide-react'
import { SESSION_MODES } from '../../../../shared/model/approval'
import { MODE_NAMES, modeMeaning } from '../../../../shared/model/sandbox-words'
import { changeMode, modeOf } from '../../../state/session-mode'
import { useSessionHeader } from '../../../state/session-view'
import { useClient } from '../../../state/trestle-context'
import { useConfinement } from '../../../state/use-confinement'
import { ChipButton } from '../../../ui/chip'
import { cx } from '../../../ui/cx'
import { Menu, MenuChoice, MenuChoices } from '../../../ui/menu'

/** How much is asked in this session, and the switch. */
export function ModeSwitch({ sessionId }: { sessionId: string }) {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  const confinement = useConfinement(header?.sandbox)
  if (!header) return null
  const current = modeOf(header)
  const change = (value: string): void => {
    const mode = SESSION_MODES.find((name) => name === value)
    if (mode && mode !== current) changeMode(client, header, mode)
  }
  const name = MODE_NAMES[current]
  const trigger = (
    <ChipButton
      aria-label={`Permissions: ${name}`}
      className={cx(
        current === 'auto' && 'border-[color-mix(in_oklch,var(--wait)_45%,var(--line))] text-wait-ink',
        current === 'plan' && 'border-[color-mix(in_oklch,var(--run)_45%,var(--line))] text-run-ink',
      )}
    >
      {name}
      <ChevronDown aria-hidden />
    </ChipButton>
  )
  return (
    <Menu trigger={trigger} label="Permissions" align="end">
      <MenuChoices value={current} onChoose={change}>
        {SESSION_MODES.map((mode) => (
          <MenuChoice key={mode} value={mode} description={modeMeaning(mode, confinement)}>
            {MODE_NAMES[mode]}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}
