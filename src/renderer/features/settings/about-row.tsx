import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { tell, tellFailure } from '../../state/toasts-state'
import { IconButton } from '../../ui/icon-button'

/** A line of a list of facts. */
export function AboutRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-[38px] flex-wrap items-center gap-x-4 border-t border-line px-3.5 py-1 first:border-t-0">
      <dt className="w-[150px] flex-none text-ink-2">{name}</dt>
      <dd className="min-w-0 flex-1">{children}</dd>
    </div>
  )
}

/** A path, with a button that copies it. */
export function PathRow({ name, path }: { name: string; path: string }) {
  return (
    <AboutRow name={name}>
      <span className="flex items-center gap-1">
        <span className="min-w-0 flex-1 font-mono text-small wrap-anywhere">{path}</span>
        <IconButton
          label={`Copy the path of the ${name.toLowerCase()}`}
          onClick={() => void navigator.clipboard.writeText(path).then(() => tell('Path copied'), tellFailure)}
        >
          <Copy aria-hidden />
        </IconButton>
      </span>
    </AboutRow>
  )
}
