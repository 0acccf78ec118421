import type { ToolDetails } from '../../../../shared/model/preview'
import { duration } from '../../../state/relative-time'
import { CopyButton } from '../../../ui/content/copy-button'
import { describeSandbox } from '../../../../shared/model/sandbox'
import { TerminalText } from '../../../ui/content/terminal-text'

/** What a command printed, how it ended, and where everything it printed is kept. */
export function CommandOutput({ details }: { details: Extract<ToolDetails, { kind: 'output' }> }) {
  const { command, exitCode, durationMs, text, outputPath, truncated, sandbox } = details
  return (
    <>
      <TerminalText text={`\u001b[2m$ ${command.trim()}\u001b[0m\n${text === '' ? '\u001b[2m(no output)\u001b[0m' : text}`} />
      <p className="tool-meta">
        {exitCode !== undefined && <span className={exitCode === 0 ? undefined : 'text-fail-ink'}>exit {exitCode}</span>}
        <span>{duration(durationMs)}</span>
        {sandbox && <span className={sandbox.level === 'unrestricted' ? 'text-wait-ink' : undefined}>{describeSandbox(sandbox)}</span>}
        {truncated && <span>only the end is shown</span>}
        {outputPath && (
          <span className="tool-path" title={outputPath}>
            <span>{outputPath}</span>
            <CopyButton text={outputPath} label="Copy the path of the full log" />
          </span>
        )}
      </p>
    </>
  )
}
