import { ArrowUp, FileText, X } from 'lucide-react'
import type { KeyboardEvent, ReactNode, Ref } from 'react'
import { longPaste } from '../../state/session/kept-files'
import { Button, IconButton } from '../../ui/button'
import { cx } from '../../ui/cx'

interface StartComposerProps {
  /** Id of the heading that names the field. */
  labelledBy: string
  text: string
  onText: (text: string) => void
  /** Pasted texts that are too long for the field: they are attached to the message. */
  pasted: readonly File[]
  onPasted: (pasted: readonly File[]) => void
  /** Folder, model, mode and so on. */
  pills: ReactNode
  /** Label of the button. */
  action: string
  canStart: boolean
  busy: boolean
  onStart: () => void
  ref?: Ref<HTMLTextAreaElement>
}

/** The composer that starts a session: type and press Enter. */
export function StartComposer({
  labelledBy,
  text,
  onText,
  pasted,
  onPasted,
  pills,
  action,
  canStart,
  busy,
  onStart,
  ref,
}: StartComposerProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if ((text.trim() !== '' || pasted.length > 0) && canStart && !busy) onStart()
  }
  return (
    <div
      className={cx(
        'rounded-[11px] border border-line-strong bg-raised',
        'px-3 pt-2.5 pb-2 shadow-card focus-within:border-ink-3',
      )}
    >
      {pasted.length > 0 && (
        <ul aria-label="Attachments" className="mb-2 flex flex-wrap gap-2">
          {pasted.map((file, index) => (
            <li
              key={index}
              className="flex h-[32px] items-center gap-1.5 rounded-[7px] border border-line pr-1 pl-2.5 text-small"
            >
              <FileText aria-hidden className="size-3.5 text-ink-3" />
              {file.name}
              <IconButton
                label={`Remove ${file.name}`}
                onClick={() => onPasted(pasted.filter((_, other) => other !== index))}
              >
                <X aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={ref}
        autoFocus
        rows={3}
        value={text}
        aria-labelledby={labelledBy}
        placeholder="Describe a task, or paste an error…"
        dir="auto"
        className={cx(
          'block max-h-[38vh] min-h-[66px] w-full resize-none border-0',
          'bg-transparent text-body outline-none [field-sizing:content]',
        )}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const long = longPaste(event.clipboardData)
          if (!long) return
          event.preventDefault()
          onPasted([...pasted, long])
        }}
      />
      <div className="mt-1.5 flex flex-wrap items-center gap-1.5">
        {pills}
        <span className="flex-1" />
        <Button variant="primary" icon={<ArrowUp aria-hidden />} disabled={!canStart} busy={busy} onClick={onStart}>
          {action}
        </Button>
      </div>
    </div>
  )
}
