import { remedyParts } from '../../../shared/model/sandbox-words'
import { CopyButton } from './copy-button'

/** What to do about a missing sandbox; a command in it is shown by itself, to be copied. */
export function Remedy({ text }: { text: string }) {
  const { words, command } = remedyParts(text)
  return (
    <>
      <p className="wrap-anywhere">{words === '' ? 'To fix it, run:' : words}</p>
      {command !== undefined && (
        <div className="mt-1.5 flex items-start gap-1 rounded-md bg-term py-1.5 pr-1.5 pl-2.5 text-term-ink">
          <code className="min-w-0 flex-1 py-px font-mono text-small wrap-anywhere">{command}</code>
          <CopyButton text={command} label="Copy command" className="text-term-ink! hover:bg-transparent! hover:opacity-80" />
        </div>
      )}
    </>
  )
}
