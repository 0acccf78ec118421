import { ChevronDown, ShieldCheck } from 'lucide-react'
import { SESSION_MODES } from '../../../../shared/model/approval/approval'
import {
  MODE_NAMES,
  modeDescription,
  confinementOf,
  type Confinement,
} from '../../../../shared/configuration/sandbox-text'
import { changeMode, modeOf } from '../../../state/session/session-actions'
import { useSessionHeader } from '../../../state/session/session-view'
import { useClient, useSettings } from '../../../state/page/queries'
import { ChipButton } from '../../../ui/chip'
import { cx } from '../../../ui/cx'
import { Menu, MenuChoice, MenuChoices } from '../../../ui/overlay/menu'
import { Banner } from '../../../ui/notice'
import { Button } from '../../../ui/button'
import type { SandboxStatus } from '../../../../shared/model/task/sandbox'

/** The permission mode of this session, and the switch. */
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
    <Menu trigger={trigger} label="Permissions" side="top">
      <MenuChoices value={current} onChoose={change}>
        {SESSION_MODES.map((mode) => (
          <MenuChoice key={mode} value={mode} description={modeDescription(mode, confinement)}>
            {MODE_NAMES[mode]}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}

interface PlanBannerProps {
  onShow: () => void
  onLeave: () => void
}

/** While plan mode is on: its guarantee, and a button that leaves it. */
export function PlanBanner({ onShow, onLeave }: PlanBannerProps) {
  return (
    <Banner
      tone="run"
      icon={<ShieldCheck aria-hidden />}
      actions={
        <>
          <Button size="small" onClick={onShow}>
            Show the plan
          </Button>
          <Button size="small" variant="quiet" onClick={onLeave}>
            Leave plan mode
          </Button>
        </>
      }
    >
      <span role="status">
        <b className="font-semibold">Plan mode.</b> Read-only until you approve the plan.
      </span>
    </Banner>
  )
}

/** Whether commands are sandboxed: in the session of `status`, or without one on this machine. */
function useConfinement(status: SandboxStatus | undefined): Confinement {
  const { data: settings } = useSettings()
  return confinementOf(status, settings?.sandbox)
}
