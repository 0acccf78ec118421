import type { ReactNode } from 'react'

/** Title of a part of the settings, what it is about, and its main button. */
export function SectionHead({ id, title, text, children }: { id: string; title: string; text?: string; children?: ReactNode }) {
  return (
    <div className="mb-3.5 flex flex-wrap items-end gap-x-4 gap-y-2">
      <div className="min-w-[220px] flex-1">
        <h2 id={id} className="text-lead font-semibold tracking-[-0.01em]">
          {title}
        </h2>
        {text && <p className="text-ui text-ink-3">{text}</p>}
      </div>
      {children}
    </div>
  )
}
