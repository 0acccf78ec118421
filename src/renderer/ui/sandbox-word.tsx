import type { ApprovalOption } from '../../shared/model/approval'
import { describeSandbox, SANDBOX_LEVEL_NAMES, type SandboxLevel, type SandboxNetwork } from '../../shared/model/sandbox'
import { sandboxMeaning } from '../../shared/model/sandbox-words'
import { cx } from './cx'

interface SandboxWordProps {
  sandbox: { level: SandboxLevel; network?: SandboxNetwork }
  className?: string
}

/** Where a command runs, in one word beside it: quiet in a sandbox, amber without one. */
export function SandboxWord({ sandbox: { level, network }, className }: SandboxWordProps) {
  const name = network === undefined ? SANDBOX_LEVEL_NAMES[level] : describeSandbox({ level, network })
  return (
    <span
      title={`${name}. ${sandboxMeaning({ level, network })}`}
      className={cx('flex-none text-tiny', level === 'unrestricted' ? 'font-medium text-wait-ink' : 'text-ink-3', className)}
    >
      <span className="sr-only">Sandbox: </span>
      {SANDBOX_LEVEL_NAMES[level]}
    </span>
  )
}

/** Under the buttons of a command that can run in a sandbox: what it can do there. Nothing where there is no such choice. */
export function SandboxNote({ options }: { options: readonly ApprovalOption[] }) {
  const first = options.find(({ sandbox }) => sandbox !== undefined)
  if (first?.sandbox === undefined) return null
  return (
    <p className="approval-sandbox">
      <b>{first.name}:</b> {sandboxMeaning({ level: first.sandbox, network: first.network })}
    </p>
  )
}
