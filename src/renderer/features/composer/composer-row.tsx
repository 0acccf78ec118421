import { ArrowUp, Paperclip, Square } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { PDF_TYPE, PICTURE_TYPES } from './pictures/pictures'

interface ComposerRowProps {
  imagesIn: boolean
  busy: boolean
  /** The next Escape stops. */
  stopsNext: boolean
  canSend: boolean
  /** What the keys do, or why nothing can be sent; described by `hintId`. */
  hint: ReactNode
  hintId: string
  /** What can be set for the session. */
  controls?: ReactNode
  onFiles: (files: File[]) => void
  onSend: () => void
  onStop: () => void
}

/** Below the field: attachments, a hint, and the button that sends or stops. */
export function ComposerRow({ imagesIn, busy, stopsNext, canSend, hint, hintId, controls, onFiles, onSend, onStop }: ComposerRowProps) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <div className="composer-row">
      <IconButton label={imagesIn ? 'Attach images or PDFs' : 'Attach PDFs'} tooltipSide="top" onClick={() => picker.current?.click()}>
        <Paperclip aria-hidden />
      </IconButton>
      <input
        ref={picker}
        type="file"
        accept={[...(imagesIn ? PICTURE_TYPES : []), PDF_TYPE].join(',')}
        multiple
        hidden
        aria-label="Attachments"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      {controls}
      <span id={hintId} className="composer-hint" role="status">
        {hint}
      </span>
      {busy ? (
        <Button {...(stopsNext && { kbd: 'Esc' })} icon={<Square aria-hidden className="fill-current !size-[10px]" />} onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button
          variant="primary"
          disabled={!canSend}
          aria-label="Send"
          title="Send"
          className="!px-2"
          icon={<ArrowUp aria-hidden />}
          onClick={onSend}
        />
      )}
    </div>
  )
}

/** What the keys do; where there is little room, only the one that sends. */
export function KeysHint({ main, more }: { main: string | undefined; more: string | undefined }): ReactNode {
  return (
    <>
      {main}
      <span className="composer-more-keys"> · {more}</span>
    </>
  )
}
