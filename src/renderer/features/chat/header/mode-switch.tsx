import { ChevronDown } from 'lucide-react'
import type { PermissionMode } from '../../../../shared/model/approval'
import { useSessionHeader } from '../../../state/session-view'
import { tellFailure } from '../../../state/toasts-state'
import { useClient } from '../../../state/trestle-context'
import { ChipButton } from '../../../ui/chip'
import { cx } from '../../../ui/cx'
import { Menu, MenuChoice, MenuChoices } from '../../../ui/menu'

const MODES: Record<PermissionMode, { name: string; description: string }> = {
  ask: { name: 'Ask first', description: 'Reading is free; every change and every command asks.' },
  'accept-edits': { name: 'Accept edits', description: 'Edits in the project are made at once; commands ask.' },
  auto: { name: 'Auto', description: 'Nothing asks, except what a policy insists on.' },
}

/** How much is asked in this session, and the switch. */
export function ModeSwitch({ sessionId }: { sessionId: string }) {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  if (!header) return null
  const change = (value: string): void => {
    const mode = (Object.keys(MODES) as PermissionMode[]).find((name) => name === value)
    if (mode && mode !== header.mode) client.session.change({ sessionId, mode }).catch(tellFailure)
  }
  const { name } = MODES[header.mode]
  const trigger = (
    <ChipButton
      aria-label={`Permissions: ${name}`}
      className={cx(header.mode === 'auto' && 'border-[color-mix(in_oklch,var(--wait)_45%,var(--line))] text-wait-ink')}
    >
      {name}
      <ChevronDown aria-hidden />
    </ChipButton>
  )
  return (
    <Menu trigger={trigger} label="Permissions" align="end">
      <MenuChoices value={header.mode} onChoose={change}>
        {(Object.keys(MODES) as PermissionMode[]).map((mode) => (
          <MenuChoice key={mode} value={mode} description={MODES[mode].description}>
            {MODES[mode].name}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}
