import { Shield, ShieldAlert, ShieldOff } from 'lucide-react'
import { Popover } from 'radix-ui'
import { SANDBOX_LEVEL_NAMES, type SandboxStatus } from '../../../../shared/model/task/sandbox'
import { sandboxLabel, sandboxPermissions } from '../../../../shared/configuration/sandbox-text'
import { shortPath } from '../../../format/folder-name'
import { Button } from '../../../ui/button'
import { ChipButton } from '../../../ui/chip'
import { cx } from '../../../ui/cx'
import { SandboxRemedy } from '../../../ui/content/sandbox-note'

interface SandboxChipProps {
  sandbox: SandboxStatus
  userHome: string | undefined
  onOpenSettings: () => void
}

const AMBER =
  'border-[color-mix(in_oklch,var(--wait)_45%,var(--line))] ' +
  'text-wait-ink hover:text-wait-ink data-[state=open]:text-wait-ink'
const GREEN =
  'border-[color-mix(in_oklch,var(--done)_40%,var(--line))] ' +
  'text-done-ink hover:text-done-ink data-[state=open]:text-done-ink'

/** What commands of this session can reach, with details on click. Green when sandboxed, amber otherwise. */
export function SandboxChip({ sandbox, userHome, onOpenSettings }: SandboxChipProps) {
  const label = sandboxLabel(sandbox)
  const isOpenToAll = sandbox.unavailable !== undefined || sandbox.level === 'unrestricted'
  const Icon = sandbox.unavailable ? ShieldOff : isOpenToAll ? ShieldAlert : Shield
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <ChipButton
          aria-label={`Sandbox: ${label}`}
          className={cx(isOpenToAll ? AMBER : sandbox.network !== 'open' && GREEN)}
        >
          <Icon aria-hidden />
          <span className="truncate">{label}</span>
        </ChipButton>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label="Sandbox"
          align="end"
          sideOffset={5}
          collisionPadding={8}
          className={cx(
            'z-50 max-h-(--radix-popover-content-available-height) w-[min(372px,calc(100vw-16px))] overflow-y-auto',
            'rounded-lg border border-line bg-raised px-3.5 pt-3 pb-2.5 text-ui shadow-high outline-none',
          )}
        >
          <Particulars sandbox={sandbox} userHome={userHome} />
          <div className="mt-2.5 border-t border-line pt-2">
            <Popover.Close asChild>
              <Button variant="quiet" size="small" className="-ml-2" onClick={onOpenSettings}>
                Sandbox settings
              </Button>
            </Popover.Close>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Particulars({ sandbox, userHome }: Pick<SandboxChipProps, 'sandbox' | 'userHome'>) {
  const { level, network, writable = [], hosts = [], unavailable } = sandbox
  const isProject = level === 'project' && !unavailable
  const lists: Readonly<Record<string, readonly string[]>> = {
    ...(isProject && { Change: writable.map((path) => shortPath(path, userHome)) }),
    ...(isProject && network === 'listed' && { 'Connect to': hosts }),
  }
  return (
    <>
      <h2 className="font-semibold">
        {unavailable
          ? 'No sandbox'
          : level === 'unrestricted'
            ? 'Unrestricted'
            : `${SANDBOX_LEVEL_NAMES[level]} sandbox`}
      </h2>
      {unavailable ? (
        <div className="mt-0.5 mb-2.5 text-wait-ink">
          <p className="wrap-anywhere">{unavailable.reason}</p>
          {unavailable.remedy !== undefined && <SandboxRemedy text={unavailable.remedy} />}
        </div>
      ) : (
        <p className="mt-0.5 mb-2.5 text-ink-2">
          {level === 'unrestricted'
            ? 'Commands in this session run without a sandbox.'
            : 'What commands can reach without asking you. Enforced by the operating system.'}
        </p>
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-small">
        {sandboxPermissions(sandbox).map(({ title, text }) => {
          const names = lists[title] ?? []
          return (
            <div key={title} className="contents">
              <dt className="text-ink-3">{title}</dt>
              <dd className="text-ink">
                {text}
                {names.length > 0 && <Names label={title} names={names} />}
              </dd>
            </div>
          )
        })}
      </dl>
    </>
  )
}

function Names({ label, names }: { label: string; names: readonly string[] }) {
  return (
    <ul
      aria-label={label}
      // Beyond this length it scrolls, also by keyboard.
      tabIndex={0}
      className="mt-1 max-h-[132px] overflow-y-auto rounded-sm bg-sunken px-2 py-1 font-mono text-tiny text-ink-2"
    >
      {names.map((name) => (
        <li key={name} className="wrap-anywhere">
          {name}
        </li>
      ))}
    </ul>
  )
}
