import type { ApprovalOption } from '../../../shared/model/approval/approval'
import {
  describeSandbox,
  SANDBOX_LEVEL_NAMES,
  type SandboxLevel,
  type SandboxNetwork,
} from '../../../shared/model/task/sandbox'
import { sandboxDescription, remedyParts } from '../../../shared/configuration/sandbox-text'
import { cx } from '../cx'
import { CopyButton } from './copy-button'

interface SandboxWordProps {
  sandbox: { level: SandboxLevel; network?: SandboxNetwork }
  className?: string
}

/** Where a command runs, as one word beside it: muted in a sandbox, amber without one. */
export function SandboxLabel({ sandbox: { level, network }, className }: SandboxWordProps) {
  const name = network === undefined ? SANDBOX_LEVEL_NAMES[level] : describeSandbox({ level, network })
  return (
    <span
      title={`${name}. ${sandboxDescription({ level, network })}`}
      className={cx(
        'flex-none text-tiny',
        level === 'unrestricted' ? 'font-medium text-wait-ink' : 'text-ink-3',
        className,
      )}
    >
      <span className="sr-only">Sandbox: </span>
      {SANDBOX_LEVEL_NAMES[level]}
    </span>
  )
}

/**
 * Below the buttons of a command that can run in a sandbox: what it can do there. Empty when there is no sandbox
 * option.
 */
export function SandboxNote({ options }: { options: readonly ApprovalOption[] }) {
  const first = options.find(({ sandbox }) => sandbox !== undefined)
  if (first?.sandbox === undefined) return null
  return (
    <p className="approval-sandbox">
      <b>{first.name}:</b> {sandboxDescription({ level: first.sandbox, network: first.network })}
    </p>
  )
}

/** How to fix a missing sandbox; a command in it is shown separately, to be copied. */
export function SandboxRemedy({ text }: { text: string }) {
  const { words, command } = remedyParts(text)
  return (
    <>
      <p className="wrap-anywhere">{words === '' ? 'To fix it, run:' : words}</p>
      {command !== undefined && (
        <div className="mt-1.5 flex items-start gap-1 rounded-md bg-term py-1.5 pr-1.5 pl-2.5 text-term-ink">
          <code className="min-w-0 flex-1 py-px font-mono text-small wrap-anywhere">{command}</code>
          <CopyButton
            text={command}
            label="Copy command"
            className="text-term-ink! hover:bg-transparent! hover:opacity-80"
          />
        </div>
      )}
    </>
  )
}
