import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { cx } from '../cx'

interface CopyButtonProps {
  /** The text to copy; a function when it is costly to build. */
  text: string | (() => string)
  /** Its accessible name, e.g. `Copy code`. */
  label: string
  className?: string
}

/** Copies a text and confirms it for a moment. */
export function CopyButton({ text, label, className }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return undefined
    const timer = setTimeout(() => setState('idle'), 1600)
    return () => clearTimeout(timer)
  }, [state])
  const copy = (): void => {
    const value = typeof text === 'string' ? text : text()
    writeClipboard(value).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  }
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={label}
      title={label}
      className={cx(
        'inline-flex h-[22px] items-center gap-1 rounded-sm px-1.5 text-tiny',
        'text-ink-3 hover:bg-sunken hover:text-ink [&_svg]:size-[13px]',
        className,
      )}
    >
      {state === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />}
      <span aria-live="polite">{state === 'copied' ? 'Copied' : state === 'failed' ? 'Not copied' : ''}</span>
    </button>
  )
}

async function writeClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}
