import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { ShortcutConflict } from '../../../../shared/configuration/shortcut-conflicts'
import type { ShortcutCommand } from '../../../../shared/configuration/shortcuts'
import { t } from '../../../../shared/language/settings-messages'
import { shortcutFrom, shortcutText } from '../../../format/shortcut'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'
import { Button } from '../../../ui/button'
import { focusUnlessMoved } from '../../../ui/return-focus'
import { Kbd } from '../../../ui/tooltip'

interface ShortcutRowProps {
  command: ShortcutCommand
  keys: string | undefined
  /** The user chose these keys. */
  isChosen: boolean
  isRecording: boolean
  /** What is in the way of giving the command these keys. */
  conflicts: (keys: string) => ShortcutConflict[]
  onRecord: (on: boolean) => void
  /** Undefined: the usual keys. */
  onSet: (keys: string | undefined) => Promise<unknown>
  /** Takes the keys away from another command. */
  onTakeFrom: (id: string) => Promise<unknown>
}

/** A command with its keys. While recording, the next keys become its own, unless something is in the way. */
export function ShortcutRow(props: ShortcutRowProps) {
  const { command, keys, isChosen, isRecording, conflicts, onRecord, onSet, onTakeFrom } = props
  /** Keys that were pressed and are in the way of something. */
  const [asked, setAsked] = useState<string>()
  const change = useRef<HTMLButtonElement>(null)
  const { label } = command
  const now = keys === undefined ? [] : conflicts(keys)
  const inTheWay = asked === undefined ? [] : conflicts(asked)
  const other = inTheWay.find(({ kind }) => kind === 'command')
  const finish = (): void => {
    setAsked(undefined)
    onRecord(false)
    focusUnlessMoved(change.current, change.current?.closest('li') ?? null)
  }
  const save = async (next: string, before?: () => Promise<unknown>): Promise<void> => {
    try {
      await before?.()
      await onSet(next)
      const shown = next === '' ? t('shortcuts.none') : shortcutText(next)
      showToast(t('shortcuts.saved', { name: label, keys: shown }), {
        label: t('edit.undo'),
        run: () => void onSet(isChosen ? (keys ?? '') : undefined).catch(showFailureToast),
      })
      finish()
    } catch (error) {
      showFailureToast(error)
    }
  }
  const pressed = (next: string): void => {
    if (conflicts(next).length === 0) void save(next)
    else setAsked(next)
  }
  return (
    <li className="border-t border-line px-3.5 py-2 first:border-t-0">
      <div className="flex min-h-[27px] flex-wrap items-center gap-2">
        <span className="min-w-[150px] flex-1">{label}</span>
        {isRecording ? (
          <Recorder name={label} shown={asked} onKeys={pressed} onClear={() => void save('')} onCancel={finish} />
        ) : keys === undefined ? (
          <span className="text-ui text-ink-3">{t('shortcuts.none')}</span>
        ) : (
          <span>
            <Kbd keys={keys} always />
            <span className="sr-only">{keys}</span>
          </span>
        )}
        {isChosen && !isRecording && (
          <Button
            size="small"
            variant="quiet"
            aria-label={t('shortcuts.reset.of', { name: label })}
            onClick={() => void onSet(undefined).catch(showFailureToast)}
          >
            {t('shortcuts.reset')}
          </Button>
        )}
        <Button
          ref={change}
          size="small"
          aria-label={isRecording ? undefined : t('shortcuts.change.of', { name: label })}
          onClick={() => (isRecording ? finish() : onRecord(true))}
        >
          {isRecording ? t('edit.cancel') : t('shortcuts.change')}
        </Button>
      </div>
      {isRecording && inTheWay.length > 0 && (
        <div role="alert" className="mt-1 flex flex-wrap items-center gap-2 text-ui text-wait-ink">
          <span className="flex-1">{inTheWay.map(({ message }) => message).join(' ')}</span>
          {asked !== undefined && inTheWay.every(({ kind }) => kind !== 'fixed') && (
            <>
              {other?.id !== undefined && (
                <Button size="small" onClick={() => void save(asked, () => onTakeFrom(other.id!))}>
                  {t('shortcuts.swap')}
                </Button>
              )}
              <Button size="small" variant="quiet" onClick={() => void save(asked)}>
                {t('shortcuts.keep')}
              </Button>
            </>
          )}
        </div>
      )}
      {!isRecording && now.length > 0 && (
        <p className="text-small text-wait-ink">{now.map(({ message }) => message).join(' ')}</p>
      )}
    </li>
  )
}

interface RecorderProps {
  name: string
  /** Keys that are being asked about. */
  shown: string | undefined
  onKeys: (keys: string) => void
  onClear: () => void
  onCancel: () => void
}

/** Waits for keys. Tab leaves it, so that the keyboard is not trapped. */
function Recorder({ name, shown, onKeys, onClear, onCancel }: RecorderProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') return
    event.preventDefault()
    event.stopPropagation()
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey
    if (event.key === 'Escape' && isPlain) return onCancel()
    if (event.key === 'Backspace' && isPlain) return onClear()
    const keys = shortcutFrom(event.nativeEvent)
    if (keys !== undefined && !event.repeat) onKeys(keys)
  }
  return (
    <input
      ref={field}
      readOnly
      aria-label={t('shortcuts.record', { name })}
      value={shown === undefined ? '' : shortcutText(shown)}
      placeholder={t('shortcuts.recording')}
      onKeyDown={onKeyDown}
      className="h-[25px] w-[130px] rounded-md border border-accent bg-raised px-2 text-ui placeholder:text-ink-3"
    />
  )
}
