import { ChevronDown } from 'lucide-react'
import { SESSION_MODES, type SessionMode } from '../../../../shared/model/approval'
import { changeMode, modeOf } from '../../../state/session-mode'
import { useSessionHeader } from '../../../state/session-view'
import { useClient } from '../../../state/trestle-context'
import { ChipButton } from '../../../ui/chip'
import { cx } from '../../../ui/cx'
import { Menu, MenuChoice, MenuChoices } from '../../../ui/menu'

const MODES: Record<SessionMode, { name: string; description: string }> = {
  ask: { name: 'Ask first', description: 'Reading is free; every change and every command asks.' },
  'accept-edits': { name: 'Accept edits', description: 'Edits in the project are made at once; commands ask.' },
  auto: { name: 'Auto', description: 'Nothing asks, except what a policy insists on.' },
  plan: { name: 'Plan', description: 'Nothing but the plan can change until you approve it.' },
}

/** How much is asked in this session, and the switch. */
export function ModeSwitch({ sessionId }: { sessionId: string }) {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  if (!header) return null
  const current = modeOf(header)
  const change = (value: string): void => {
    const mode = SESSION_MODES.find((name) => name === value)
    if (mode && mode !== current) changeMode(client, header, mode)
  }
  const { name } = MODES[current]
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
          <MenuChoice key={mode} value={mode} description={MODES[mode].description}>
            {MODES[mode].name}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}
